import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  openSync,
  readdirSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DAY_MS, HOUR_MS } from '../../../app/contract/units.ts'
import { ordersCsv, ordersJson } from '../../../app/history/orders-export.ts'
import type { ExportedKey } from '../../../app/history/report-csv.ts'
import { seriesCsv, seriesJson } from '../../../app/history/series.ts'
import { exportName } from '../../history/exports.ts'
import type { SeriesOpening } from '../../history/series-file.ts'
import type { JournalFile } from '../../orders/journal-file.ts'
import { NO_HOME } from '../../storage/data-folder.ts'
import type { ReadOnlyOpening } from '../../storage/sqlite-file.ts'
import { storageErrorText, unreadable } from '../../storage/storage-error.ts'
import { systemErrorCode, systemErrorText } from '../../storage/system-error.ts'
import { discard } from '../../storage/write-whole.ts'
import { printable } from './cells.ts'
import type { ExportFlags } from './flags.ts'
import { EXIT_OK, EXIT_USAGE, failWith, type Terminal } from './terminal.ts'

export interface ExportDeps {
  readonly terminal: Terminal
  readonly defaultDataFolder: () => string | undefined
  readonly version: string
  readonly nowMs: () => number
  openSeries(folder: string): SeriesOpening
  openOrders(folder: string): ReadOnlyOpening<Pick<JournalFile, 'between' | 'close'>>
  /** Loads the Parquet writers, which only that format needs. */
  parquet(): Promise<typeof import('../../history/parquet-files.ts')>
}

type Pieces = Iterable<string | Uint8Array>

/** The stored rows of one kind of export. */
interface ExportedTable {
  /** The first part of the file's name. */
  readonly name: 'series' | 'orders'
  /** The stored keys with rows in this table. In an export of orders, only rows within the interval count. */
  profiles(): readonly ExportedKey[]
  pieces(): Pieces | Promise<Pieces>
  close(): void
}

type Interval = ExportFlags & { readonly fromMs: number; readonly toMs: number }

/** Exports the stored history or the journal of orders for other programs. */
export async function exportHistory(flags: ExportFlags, deps: ExportDeps): Promise<number> {
  const { terminal } = deps
  const fail = (line: string, exitCode?: number) => failWith(terminal, line, exitCode)
  if ((flags.series === undefined) === (flags.orders === undefined))
    return fail(
      flags.series && flags.orders
        ? 'leave out --series or --orders: an export has one of the two'
        : 'add --series to export request quotas by the minute, or --orders for the journal',
      EXIT_USAGE,
    )
  const toMs = flags.to ?? deps.nowMs()
  const fromMs = flags.from ?? toMs - DAY_MS
  if (fromMs >= toMs)
    return fail(`--from must be before ${flags.to === undefined ? 'now' : '--to'}`, EXIT_USAGE)
  if (flags.format === 'parquet' && flags.output === undefined)
    return fail('add --output FILE or FOLDER for --format parquet', EXIT_USAGE)
  const folder = flags.data ?? deps.defaultDataFolder()
  if (folder === undefined) return fail(NO_HOME)
  const interval = { ...flags, fromMs, toMs }
  let table: ExportedTable | undefined
  try {
    const opening = flags.orders ? ordersTable(folder, interval, deps) : seriesTable(folder, interval, deps)
    if (opening.kind === 'failed') return fail(opening.line)
    table = opening.table
    const known = table.profiles()
    if (flags.profile !== undefined && !known.some(({ profile }) => profile === flags.profile)) {
      const names = known.map(({ profile }) => profile).join(', ') || 'none'
      const where = table.name === 'series' ? 'the history' : 'the journal of that time'
      return fail(`${where} has no profile '${flags.profile}'; choose one of: ${names}`)
    }
    const pieces = await table.pieces()
    if (flags.output === undefined) {
      await writeOut(pieces, terminal)
      return EXIT_OK
    }
    const path = pathOf(flags.output, table, interval)
    const failure = writeNew(path, pieces, deps.nowMs())
    if (failure !== undefined) return fail(`can't write ${path}: ${failure}`)
    terminal.error(`written: ${path}`)
    return EXIT_OK
  } catch (error) {
    // A damaged file may open, and fail only at a later page.
    const why = storageErrorText(error)
    if (why === undefined) throw error
    return fail(unreadable(flags.orders ? 'the journal of orders' : 'the history', folder, why))
  } finally {
    table?.close()
  }
}

type TableOpening =
  | { readonly kind: 'open'; readonly table: ExportedTable }
  | { readonly kind: 'failed'; readonly line: string }

function seriesTable(
  folder: string,
  { profile, format, fromMs, toMs }: Interval,
  { version, parquet, openSeries }: ExportDeps,
): TableOpening {
  const opening = openSeries(folder)
  if (opening.kind === 'failed') return opening
  const { file } = opening
  const interval = { fromMs, toMs, version }
  const minutes = () => file.minutes({ profile, fromMs, toMs })
  const pieces = {
    csv: () => seriesCsv(minutes()),
    json: () => seriesJson(minutes(), interval),
    parquet: async () => [(await parquet()).seriesParquet(minutes(), interval)],
  }[format]
  return {
    kind: 'open',
    table: { name: 'series', profiles: () => file.profiles(), pieces, close: () => file.close() },
  }
}

function ordersTable(
  folder: string,
  { profile, format, fromMs, toMs }: Interval,
  { version, parquet, openOrders }: ExportDeps,
): TableOpening {
  const opening = openOrders(folder)
  if (opening.kind === 'failed') return opening
  const { file: journal } = opening
  const all = journal.between(fromMs, toMs)
  const entries = all
    .filter((entry) => profile === undefined || entry.profile === profile)
    .map((entry) => ({
      ...entry,
      // These texts come from a program or the service, so control characters are removed.
      accountEnding: printable(entry.accountEnding),
      orderIds: entry.orderIds.map(printable),
    }))
  const interval = { fromMs, toMs, version }
  const pieces = {
    csv: () => ordersCsv(entries),
    json: () => [ordersJson(entries, interval)],
    parquet: async () => [(await parquet()).ordersParquet(entries, interval)],
  }[format]
  const ids = [...new Set(all.map((entry) => entry.profile))]
  return {
    kind: 'open',
    table: {
      name: 'orders',
      profiles: () => ids.map((id) => ({ profile: id, environment: '' })),
      pieces,
      close: () => journal.close(),
    },
  }
}

/**
 * The path of an export: `output` itself, or a file in `output` if that is a folder. The file's name has the
 * profile (`all` for several), the start and the format.
 */
function pathOf(output: string, table: ExportedTable, { profile, format, fromMs }: Interval): string {
  if (!statSync(output, { throwIfNoEntry: false })?.isDirectory()) return output
  const of = table.profiles().filter((one) => profile === undefined || one.profile === profile)
  const [only, ...others] = of
  const key = only === undefined || others.length > 0 ? { profile: 'all', environment: '' } : only
  return join(output, exportName(table.name, key, fromMs, format))
}

/**
 * Writes pieces to stdout. Waits while the reader is slow, so that half a million rows are never in memory
 * together. A signal ends the process, so that its exit status says that the export is incomplete.
 */
async function writeOut(pieces: Pieces, terminal: Terminal): Promise<void> {
  for (const piece of pieces) {
    if (terminal.out(String(piece).replace(/\r?\n$/, ''))) continue
    const isGone = await new Promise<boolean>((resolve) => {
      const cancels = [terminal.onDrain(() => done(false)), terminal.onOutputEnd(() => done(true))]
      const done = (gone: boolean) => {
        for (const cancel of cancels) cancel()
        resolve(gone)
      }
    })
    if (isGone) return
  }
}

/**
 * Writes a new file completely or not at all, even if a signal ends the process. Never replaces a file.
 * Returns the reason for a failure to write. Throws if a piece can't be read.
 *
 * The draft has a name of its own, so that another export to the same path can't replace it.
 */
function writeNew(path: string, pieces: Pieces, nowMs: number): string | undefined {
  const draft = `${path}.${randomUUID()}${DRAFT}`
  removeLeftDrafts(path, nowMs)
  try {
    const descriptor = openSync(draft, 'wx', 0o600)
    try {
      for (const piece of pieces) {
        const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
        for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
      }
    } finally {
      closeSync(descriptor)
    }
    publish(draft, path)
    return undefined
  } catch (error) {
    if (storageErrorText(error) !== undefined) throw error
    return systemErrorText(error)
  } finally {
    discard(draft)
  }
}

const DRAFT = '.part'
const DRAFT_ID = /^[0-9a-f-]{36}$/
/** Time in milliseconds after which an unchanged draft belongs to an export that was killed. */
const LEFT_MS = HOUR_MS

/** Removes the drafts of earlier exports to this path that were killed, if possible. */
function removeLeftDrafts(path: string, nowMs: number): void {
  const [folder, start] = [dirname(path), `${basename(path)}.`]
  const isDraft = (name: string) =>
    name.startsWith(start) && name.endsWith(DRAFT) && DRAFT_ID.test(name.slice(start.length, -DRAFT.length))
  try {
    for (const draft of readdirSync(folder).filter(isDraft)) {
      const file = join(folder, draft)
      if (nowMs - statSync(file).mtimeMs > LEFT_MS) discard(file)
    }
  } catch {
    // The new export doesn't need the folder's list.
  }
}

/** Gives a whole file its final name, unless a file already has it. Some disks have no links. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') throw error
    copyFileSync(draft, path, constants.COPYFILE_EXCL)
  }
}
