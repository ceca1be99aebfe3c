import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '../../../app/contract/units.ts'
import { seriesCsv, seriesJson } from '../../../app/history/series.ts'
import { exportName } from '../../history/exports.ts'
import type { SeriesFile, SeriesOpening } from '../../history/series-file.ts'
import { NO_HOME } from '../../storage/data-folder.ts'
import { systemErrorText } from '../../storage/system-error.ts'
import type { ExportFlags } from './flags.ts'
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, type Terminal } from './terminal.ts'

export interface ExportDeps {
  readonly terminal: Terminal
  readonly defaultDataFolder: () => string | undefined
  readonly version: string
  readonly nowMs: () => number
  openSeries(folder: string): SeriesOpening
  /** Loads the Parquet writer, which is needed for that format only. */
  parquet(): Promise<typeof import('../../history/series-parquet.ts')>
}

/** Exports the stored history for other programs. */
export async function exportHistory(flags: ExportFlags, deps: ExportDeps): Promise<number> {
  const { terminal } = deps
  const fail = (line: string, exitCode: number = EXIT_FAILURE) => {
    terminal.error(line)
    return exitCode
  }
  if (flags.series === undefined)
    return fail('add --series to export request quotas by the minute', EXIT_USAGE)
  const toMs = flags.to ?? deps.nowMs()
  const fromMs = flags.from ?? toMs - DAY_MS
  if (fromMs >= toMs) return fail('--from must be before --to', EXIT_USAGE)
  if (flags.format === 'parquet' && flags.output === undefined)
    return fail('add --output FILE or FOLDER for --format parquet', EXIT_USAGE)
  const folder = flags.data ?? deps.defaultDataFolder()
  if (folder === undefined) return fail(NO_HOME)
  const opening = deps.openSeries(folder)
  if (opening.kind === 'failed') return fail(opening.line)
  const { file } = opening
  try {
    const known = file.profiles()
    if (flags.profile !== undefined && !known.some(({ profile }) => profile === flags.profile)) {
      const names = known.map(({ profile }) => profile).join(', ') || 'none'
      return fail(`the history has no profile '${flags.profile}'; choose one of: ${names}`)
    }
    const pieces = await piecesOf(file, { ...flags, fromMs, toMs }, deps)
    if (flags.output === undefined) {
      await writeOut(pieces, terminal)
      return EXIT_OK
    }
    const path = pathOf(flags.output, file, { ...flags, fromMs })
    const failure = writeNew(path, pieces)
    if (failure !== undefined) return fail(`can't write ${path}: ${failure}`)
    terminal.error(`written: ${path}`)
    return EXIT_OK
  } finally {
    file.close()
  }
}

type Interval = ExportFlags & { readonly fromMs: number; readonly toMs: number }

async function piecesOf(
  file: SeriesFile,
  { profile, format, fromMs, toMs }: Interval,
  { version, parquet }: ExportDeps,
): Promise<Iterable<string | Uint8Array>> {
  const minutes = file.minutes({ profile, fromMs, toMs })
  switch (format) {
    case 'csv':
      return seriesCsv(minutes)
    case 'json':
      return seriesJson(minutes, { fromMs, toMs, version })
    case 'parquet': {
      const { seriesParquet } = await parquet()
      return [seriesParquet(minutes, { fromMs, toMs, version })]
    }
  }
}

/**
 * The path of an export: `output` itself, or in that folder a name with profile (`all` for several), start
 * and format.
 */
function pathOf(
  output: string,
  file: SeriesFile,
  { profile, format, fromMs }: ExportFlags & { readonly fromMs: number },
): string {
  if (!statSync(output, { throwIfNoEntry: false })?.isDirectory()) return output
  const of = file.profiles().filter((one) => profile === undefined || one.profile === profile)
  const [only, ...others] = of
  const key = only === undefined || others.length > 0 ? { profile: 'all', environment: '' } : only
  return join(output, exportName('series', key, fromMs, format))
}

/** Waits while the reader of stdout is slow, so that half a million rows need not be in memory. */
async function writeOut(pieces: Iterable<string | Uint8Array>, terminal: Terminal): Promise<void> {
  for (const piece of pieces) {
    if (terminal.out(String(piece).replace(/\r?\n$/, ''))) continue
    const isGone = await new Promise<boolean>((resolve) => {
      const cancels = [
        terminal.onDrain(() => done(false)),
        terminal.onOutputEnd(() => done(true)),
        terminal.onStop(() => done(true)),
      ]
      const done = (gone: boolean) => {
        for (const cancel of cancels) cancel()
        resolve(gone)
      }
    })
    if (isGone) return
  }
}

/**
 * Writes a new file completely or not at all, and replaces no existing file. Returns the reason of a failure.
 */
function writeNew(path: string, pieces: Iterable<string | Uint8Array>): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(path, 'wx', 0o600)
  } catch (error) {
    return systemErrorText(error)
  }
  try {
    for (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    }
    closeSync(descriptor)
    return undefined
  } catch (error) {
    closeSync(descriptor)
    rmSync(path, { force: true })
    return systemErrorText(error)
  }
}
