import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { HOUR_MS } from '../../../../app/contract/units.ts'
import { ORDER_COLUMNS } from '../../../../app/history/orders-export.ts'
import { SERIES_COLUMNS } from '../../../../app/history/series.ts'
import { openSeriesFile, type SeriesFile } from '../../../../main/history/series-file.ts'
import { exportHistory } from '../../../../main/hosts/terminal/export-command.ts'
import type { ExportFlags } from '../../../../main/hosts/terminal/flags.ts'
import { type HashedEntry, openJournalFile, openStoredJournal } from '../../../../main/orders/journal-file.ts'
import { PATIENT } from '../../../patient.ts'
import { proves } from '../../../proof/proves.ts'
import { EPOCH_MS, PROFILE, record, sampleAt, startedStore } from '../../history/started-store.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { fakeTerminal } from './fake-terminal.ts'

const MINUTES = 10

/** Ten minutes of two quotas of a live key, one of them without any data, and one sample of another key. */
function recorded(): string {
  const folder = temporaryFolder()
  const started = startedStore(folder)
  const { store, clock } = started
  store.add({ kind: 'profile', profile: PROFILE, environment: 'live' })
  store.add({ kind: 'profile', profile: 'key-2', environment: 'sim' })
  const other = { ...sampleAt(clock.wallMs(), 7), own: 3 }
  store.add({ kind: 'sample', profile: 'key-2', category: 'Positions', sample: other })
  const guessed = { ...sampleAt(clock.wallMs(), 500, { source: 'default' }), elsewhere: 4 }
  store.add({ kind: 'sample', profile: PROFILE, category: '=cmd|x', sample: guessed })
  record(started, MINUTES * 60 + 5, (second) => ({
    remaining: 300 - (second % 60),
    own: second % 60 === 0 ? 1 : 0,
  }))
  store.flush()
  return folder
}

async function exported(folder: string, flags: Partial<ExportFlags> = {}, isSeries = true) {
  const terminal = fakeTerminal()
  const exitCode = await exportHistory(
    { ...(isSeries && { series: true }), format: 'csv', data: folder, ...flags },
    {
      terminal,
      defaultDataFolder: () => undefined,
      version: '1.2.3',
      nowMs: () => EPOCH_MS + 3_600_000,
      openSeries: openSeriesFile,
      openOrders: openStoredJournal,
      parquet: () => import('../../../../main/history/parquet-files.ts'),
    },
  )
  return { exitCode, text: terminal.lines.join('\n'), ...terminal, errors: terminal.errors }
}

test('a series has a row per key, category and minute, while the app continues writing', async () => {
  const { exitCode, text } = await exported(recorded())
  expect(exitCode).toBe(0)
  const [head, ...rows] = text.split('\n').map((line) => line.trimEnd())
  expect(head).toBe(SERIES_COLUMNS.join(','))
  const accounts = rows.filter((row) => row.includes(',Accounts,'))
  expect(accounts).toHaveLength(MINUTES)
  expect(accounts[1]).toBe('key-1,live,2026-01-05T14:01:00.000Z,Accounts,320,241,300,header,1,0,0,0,60,0')
  expect(rows.filter((row) => row.startsWith('key-2,sim,'))).toHaveLength(1)
  // Nothing was known about this quota, so it has no numbers. Its name is not written as a formula.
  expect(rows.filter((row) => row.includes("'=cmd"))).toEqual([
    "key-1,live,2026-01-05T14:00:00.000Z,'=cmd|x,320,,,default,0,4,0,0,0,0".replace("'=cmd|x", `"'=cmd|x"`),
  ])
  proves('E1', { level: 2, cases: rows.length })
})

test('a series can be of one key, and of an interval without an end', async () => {
  const folder = recorded()
  const one = await exported(folder, { profile: 'key-2' })
  expect(one.lines).toHaveLength(2)
  const part = await exported(folder, { profile: PROFILE, from: EPOCH_MS + 60_000, to: EPOCH_MS + 180_000 })
  expect(part.lines.slice(1).map((line) => line.split(',')[2])).toEqual([
    '2026-01-05T14:01:00.000Z',
    '2026-01-05T14:02:00.000Z',
  ])
})

test('as JSON it is one object that describes itself', async () => {
  const { text } = await exported(recorded(), { format: 'json' })
  const told = JSON.parse(text)
  expect(told).toMatchObject({
    kind: 'headroom-series',
    formatVersion: 1,
    version: '1.2.3',
    to: '2026-01-05T15:00:00.000Z',
  })
  expect(told.rows).toHaveLength(MINUTES + 2)
  expect(told.rows.find((row: { category: string }) => row.category === '=cmd|x')).toMatchObject({
    lowest_remaining: null,
    number_source: 'default',
  })
  const empty = await exported(recorded(), { format: 'json', to: EPOCH_MS })
  expect(JSON.parse(empty.text).rows).toEqual([])
})

test('as Parquet a reader finds the same rows, with types', async () => {
  const [folder, target] = [recorded(), temporaryFolder()]
  expect((await exported(folder, { format: 'parquet', output: target })).exitCode).toBe(0)
  const [name = ''] = readdirSync(target)
  expect(name).toBe('headroom-series-all-2026-01-04T1500.parquet')
  const bytes = readFileSync(join(target, name))
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
  const rows = await parquetReadObjects({ file })
  const json = JSON.parse((await exported(folder, { format: 'json' })).text)
  const read = rows.map((row) => ({ ...row, start_time: (row['start_time'] as Date).toISOString() }))
  expect(read).toEqual(json.rows)
  const kinds = parquetMetadata(file).key_value_metadata?.map(({ key, value }) => [key, value])
  expect(kinds).toContainEqual(['kind', 'headroom-series'])
})

test('a file is written completely, readable by its owner only, named after its key, and never over another', async () => {
  const [folder, target] = [recorded(), temporaryFolder()]
  const first = await exported(folder, { profile: PROFILE, output: target })
  const path = join(target, 'headroom-series-key-1-live-2026-01-04T1500.csv')
  expect(first.errors).toEqual([`written: ${path}`])
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
  const before = readFileSync(path, 'utf8')
  const again = await exported(folder, { profile: PROFILE, output: path })
  expect([again.exitCode, readFileSync(path, 'utf8')]).toEqual([1, before])
  expect(again.errors).toEqual([`can't write ${path}: a file is in the way`])
})

/** Exports no rows to `output`. `meanwhile` is called while the file is written. */
function exportedMeanwhile(output: string, meanwhile: () => void, nowMs = 1): Promise<number> {
  const file: SeriesFile = {
    profiles: () => [],
    programMinutes: () => [],
    minutes: function* () {
      meanwhile()
      yield* []
    },
    close: () => {},
  }
  return exportHistory(
    { series: true, format: 'csv', output },
    {
      terminal: fakeTerminal(),
      defaultDataFolder: () => '/',
      version: '1',
      nowMs: () => nowMs,
      openSeries: () => ({ kind: 'open', file }),
      openOrders: openStoredJournal,
      parquet: () => Promise.reject(new Error('not asked for')),
    },
  )
}

const DRAFT = expect.stringMatching(/^series\.csv\.[0-9a-f-]{36}\.part$/)

test('a file has its name only once it is whole, and nothing else is left', async () => {
  const target = temporaryFolder()
  const found: unknown[] = []
  const exitCode = await exportedMeanwhile(join(target, 'series.csv'), () => found.push(readdirSync(target)))
  expect([exitCode, found, readdirSync(target)]).toEqual([0, [[DRAFT]], ['series.csv']])
})

/** A process that begins an export to `output` and is killed before it has written a row. */
function killedExport(output: string): void {
  const program = `
    import { exportHistory } from '${new URL('../../../../main/hosts/terminal/export-command.ts', import.meta.url).href}'
    const minutes = function* () { yield process.kill(process.pid, 'SIGKILL') }
    const file = { profiles: () => [], minutes, close() {} }
    await exportHistory(
      { series: true, format: 'json', output: ${JSON.stringify(output)} },
      { nowMs: () => 1, defaultDataFolder: () => '/', openSeries: () => ({ kind: 'open', file }) },
    )`
  spawnSync(process.execPath, ['--input-type=module', '--eval', program])
}

test('an export never gives its name to the draft of another one to the same path', async () => {
  const target = temporaryFolder()
  const path = join(target, 'series.csv')
  const found: unknown[] = []
  const exitCode = await exportedMeanwhile(path, () => {
    killedExport(path)
    found.push(readdirSync(target))
  })
  expect([exitCode, found]).toEqual([0, [[DRAFT, DRAFT]]])
  expect(readFileSync(path, 'utf8')).toBe(`${SERIES_COLUMNS.join(',')}\r\n`)
})

test('drafts of killed exports are removed after an hour, and other files never', async () => {
  const target = temporaryFolder()
  const draft = (of: string, digit: string) => `${of}.${digit.repeat(36)}.part`
  const names = [
    draft('series.csv', 'a'),
    draft('other.csv', 'a'),
    'series.csv.part',
    draft('series.csv', 'x'),
  ]
  for (const name of names) {
    writeFileSync(join(target, name), 'of an export that was killed')
    utimesSync(join(target, name), EPOCH_MS / 1000, EPOCH_MS / 1000)
  }
  const output = join(target, 'series.csv')
  expect(await exportedMeanwhile(output, () => {}, EPOCH_MS + HOUR_MS)).toBe(0)
  expect(readdirSync(target).sort()).toEqual([...names, 'series.csv'].sort())
  rmSync(output)
  expect(await exportedMeanwhile(output, () => {}, EPOCH_MS + HOUR_MS + 1)).toBe(0)
  expect(readdirSync(target).sort()).toEqual([...names.slice(1), 'series.csv'].sort())
})

test('an export whose draft can’t be created fails in one line', async () => {
  const [folder, target] = [recorded(), temporaryFolder()]
  const path = join(target, 'series.csv')
  writeFileSync(path, 'a file')
  const below = join(path, 'series.csv')
  const beneath = await exported(folder, { output: below })
  expect([beneath.exitCode, beneath.errors]).toEqual([1, [`can't write ${below}: a file is in the way`]])
})

test('each failure is one line', async () => {
  const folder = recorded()
  const damaged = temporaryFolder()
  writeFileSync(join(damaged, 'history.db'), 'not a database, and longer than a header of one would be')
  const newer = temporaryFolder()
  const database = new DatabaseSync(join(newer, 'history.db'))
  database.exec('PRAGMA user_version = 99')
  database.close()
  const locked = temporaryFolder()
  const writer = new DatabaseSync(join(locked, 'history.db'))
  writer.exec('CREATE TABLE minutes (at); BEGIN EXCLUSIVE')
  const none = temporaryFolder()
  for (const [flags, exitCode, line] of [
    [{ data: none }, 1, `there is no history in ${none}`],
    [{ data: damaged }, 1, `can't read the history in ${damaged}: the file is damaged`],
    [{ data: newer }, 1, `can't read the history in ${newer}: it was written by a newer version of Headroom`],
    [{ data: locked }, 1, `can't read the history in ${locked}: another program has locked the file`],
    [{ profile: 'nope' }, 1, `the history has no profile 'nope'; choose one of: key-1, key-2`],
    [{ from: 2, to: 1 }, 2, '--from must be before --to'],
    [{ from: Number.MAX_SAFE_INTEGER }, 2, '--from must be before now'],
    [{ format: 'parquet' }, 2, 'add --output FILE or FOLDER for --format parquet'],
  ] as const) {
    const ended = await exported(folder, flags)
    expect([ended.exitCode, ended.errors]).toEqual([exitCode, [line]])
  }
  writer.close()
  expect(existsSync(join(none, 'history.db'))).toBe(false)
  const terminal = fakeTerminal()
  const deps = { terminal, defaultDataFolder: () => folder, version: '1', nowMs: () => 0 }
  const parquet = () => Promise.reject(new Error('not asked for'))
  expect(
    await exportHistory(
      { format: 'csv' },
      { ...deps, openSeries: openSeriesFile, openOrders: openStoredJournal, parquet },
    ),
  ).toBe(2)
})

/** A copy of a database in which a table's first page is overwritten. The copy still opens. */
function damagedCopy(folder: string, file: string, table: string): string {
  const copy = temporaryFolder()
  const path = join(copy, file)
  const source = new DatabaseSync(join(folder, file))
  source.prepare('VACUUM INTO ?').run(path)
  source.close()
  const database = new DatabaseSync(path)
  const page = Number(
    database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)?.['rootpage'],
  )
  const size = Number(database.prepare('PRAGMA page_size').get()?.['page_size'])
  database.close()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0x77, (page - 1) * size, page * size))
  return copy
}

test('a file that is damaged in the middle is one line, and leaves no partial export', async () => {
  const history = damagedCopy(recorded(), 'history.db', 'minutes')
  const target = temporaryFolder()
  for (const flags of [{}, { output: join(target, 'series.csv') }]) {
    const ended = await exported(history, flags)
    expect([ended.exitCode, ended.errors]).toEqual([
      1,
      [`can't read the history in ${history}: the file is damaged`],
    ])
  }
  expect(readdirSync(target)).toEqual([])
  const journal = damagedCopy(journalled(), 'orders.db', 'orders')
  const { exitCode, errors } = await exported(journal, ORDERS, false)
  expect([exitCode, errors]).toEqual([
    1,
    [`can't read the journal of orders in ${journal}: the file is damaged`],
  ])
})

test('a slow reader delays the export, and one that is gone ends it', async () => {
  const folder = recorded()
  const terminal = fakeTerminal()
  terminal.lag()
  const deps = { terminal, defaultDataFolder: () => folder, version: '1', nowMs: () => EPOCH_MS + 3_600_000 }
  const parquet = () => Promise.reject(new Error('not asked for'))
  const ended = exportHistory(
    { series: true, format: 'csv' },
    { ...deps, openSeries: openSeriesFile, openOrders: openStoredJournal, parquet },
  )
  await expect.poll(() => terminal.lines.length, PATIENT).toBe(1)
  terminal.lag()
  await new Promise((resolve) => setImmediate(resolve))
  expect(terminal.lines.length).toBe(1)
  expect(terminal.stopListeners).toBe(0)
  terminal.closeOutput()
  expect(await ended).toBe(0)
  expect(terminal.lines.length).toBe(1)
})

const ORDERS: Partial<ExportFlags> = { orders: true, to: EPOCH_MS + 1 }

/** A journal with an answered order, one whose response was lost, and one of another key. */
function journalled(ending = '782'): string {
  const folder = temporaryFolder()
  const opening = openJournalFile(folder, EPOCH_MS)
  if (opening.kind === 'failed') throw new Error(opening.failure)
  const { file } = opening
  const entry: HashedEntry = {
    id: '1',
    profile: 'key-1',
    atMs: EPOCH_MS - 2000,
    program: 'bot',
    method: 'POST',
    kind: 'order',
    accountEnding: ending,
    orderIds: [],
    outcome: 'sent',
    isDismissed: false,
    hashes: ['HASH'],
    confirmHashes: ['HASH'],
  }
  file.write(() => {
    file.insert(entry)
    file.insert({ ...entry, id: '2', atMs: EPOCH_MS - 1000, method: 'DELETE', kind: 'cancel' })
    file.insert({ ...entry, id: '3', atMs: EPOCH_MS, profile: 'key-2' })
    file.insert({ ...entry, id: '4', atMs: EPOCH_MS + 2 })
    file.settle('1', { outcome: 'answered', status: 200, orderIds: ['9001', '9002'], latencyMs: 48 })
    file.settle('2', { outcome: 'not-found' })
  })
  file.close()
  return folder
}

test('the journal of orders is exported by the documented columns, without its hashes', async () => {
  const folder = journalled()
  const { exitCode, text } = await exported(folder, { ...ORDERS, profile: 'key-1' }, false)
  expect([exitCode, text.includes('HASH')]).toEqual([0, false])
  expect(text.split('\n').map((line) => line.trimEnd())).toEqual([
    'id,time,program,method,kind,account_ending,status,order_ids,latency_ms,outcome',
    '1,2026-01-05T13:59:58.000Z,bot,POST,order,782,200,9001 9002,48,answered',
    '2,2026-01-05T13:59:59.000Z,bot,DELETE,cancel,782,,,,not-found',
  ])
  const json = JSON.parse((await exported(folder, { ...ORDERS, format: 'json' }, false)).text)
  expect(json).toMatchObject({ kind: 'headroom-orders', rows: [{ id: '1' }, { id: '2' }, { id: '3' }] })
})

test.each(['csv', 'json'] as const)('no control character of an order is exported (%s)', async (format) => {
  const { lines } = await exported(journalled('z\u001b\u202e\n'), { ...ORDERS, format }, false)
  expect(lines.join('')).toContain('9001')
  for (const line of lines) expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]|\\u001b/u)
})

test('a Parquet file of orders has the same columns, with times, and unknown numbers as null', async () => {
  const output = temporaryFolder()
  const { exitCode } = await exported(journalled(), { ...ORDERS, format: 'parquet', output }, false)
  expect(exitCode).toBe(0)
  const [name = ''] = readdirSync(output)
  expect(name).toBe('headroom-orders-all-2026-01-04T1400.parquet')
  const bytes = readFileSync(join(output, name))
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const rows = await parquetReadObjects({ file })
  expect(Object.keys(rows[0] ?? {})).toEqual([...ORDER_COLUMNS])
  expect(rows[0]).toMatchObject({ time: new Date(EPOCH_MS - 2000), status: 200, latency_ms: 48 })
  expect(rows[1]).toMatchObject({ status: null, latency_ms: null, outcome: 'not-found' })
})

test('an export is of one kind, and a folder without a journal is named', async () => {
  expect(await exported(temporaryFolder(), { orders: true })).toMatchObject({
    exitCode: 2,
    errors: ['leave out --series or --orders: an export has one of the two'],
  })
  const folder = temporaryFolder()
  expect(await exported(folder, ORDERS, false)).toMatchObject({
    exitCode: 1,
    errors: [`there is no journal of orders in ${folder}`],
  })
  const other = await exported(journalled(), { ...ORDERS, profile: 'key-9' }, false)
  expect(other.errors[0]).toContain('choose one of: key-1, key-2')
})
