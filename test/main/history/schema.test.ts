import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { HistoryFile } from '../../../main/history/history-file.ts'
import { HISTORY_MIGRATIONS, SCHEMA_VERSION } from '../../../main/history/schema.ts'
import { STATEMENTS } from '../../../main/history/statements.ts'
import { migrate } from '../../../main/storage/sqlite-file.ts'
import { CATEGORY, EPOCH_MS, PROFILE } from './started-store.ts'

const tablesOf = (database: DatabaseSync) =>
  database.prepare(`SELECT type, name, sql FROM sqlite_schema ORDER BY name`).all()
const versionOf = (database: DatabaseSync) => database.prepare('PRAGMA user_version').get()?.['user_version']

test.each(HISTORY_MIGRATIONS.map((_, version) => version))(
  'a file of version %i migrates to the same schema as a new one',
  (version) => {
    const fresh = new DatabaseSync(':memory:')
    migrate(fresh, HISTORY_MIGRATIONS)
    const old = new DatabaseSync(':memory:')
    migrate(old, HISTORY_MIGRATIONS.slice(0, version))
    expect(versionOf(old)).toBe(version)
    expect(migrate(old, HISTORY_MIGRATIONS)).toEqual({ kind: 'current' })
    expect(versionOf(old)).toBe(SCHEMA_VERSION)
    expect(tablesOf(old)).toEqual(tablesOf(fresh))
  },
)

test('data of a first-version file survives migration, and is rolled up further', () => {
  const old = new DatabaseSync(':memory:')
  migrate(old, HISTORY_MIGRATIONS.slice(0, 1))
  old.exec(
    `INSERT INTO series (id, profile, category, kind) VALUES (1, '${PROFILE}', '${CATEGORY}', 'requests')`,
  )
  for (let minute = 0; minute < 20; minute += 1) {
    old.exec(
      `INSERT INTO minutes VALUES (1, ${EPOCH_MS + minute * 60_000}, ${minute}, 300, 1, 320, 2, 1, 0, 0, 60000, 0)`,
    )
  }
  migrate(old, HISTORY_MIGRATIONS)
  const file = new HistoryFile(old)
  file.catchUp(EPOCH_MS + 3_600_000)
  expect(old.prepare('SELECT count(*) AS n FROM quarters').get()).toEqual({ n: 2 })
  expect(old.prepare('SELECT own FROM hours').all()).toEqual([{ own: 20 }])
  const accounts = file.accounts({
    profile: PROFILE,
    category: CATEGORY,
    fromMs: EPOCH_MS,
    toMs: EPOCH_MS + 3_600_000,
  })
  expect(accounts.reduce((own, rollup) => own + rollup.own, 0)).toBe(20)
})

test('a newer file is rejected and unchanged', () => {
  const newer = new DatabaseSync(':memory:')
  newer.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`)
  expect(migrate(newer, HISTORY_MIGRATIONS)).toEqual({ kind: 'newer', version: SCHEMA_VERSION + 1 })
  expect(tablesOf(newer)).toEqual([])
})

test('a failed migration leaves the file at the version before', () => {
  const old = new DatabaseSync(':memory:')
  migrate(old, HISTORY_MIGRATIONS.slice(0, 1))
  old.exec('CREATE TABLE quarters (in_the_way)')
  expect(() => migrate(old, HISTORY_MIGRATIONS)).toThrow('quarters')
  expect(versionOf(old)).toBe(1)
})

test('queries of windows and reports use the index of series and time, never a table scan', () => {
  const database = new DatabaseSync(':memory:')
  migrate(database, HISTORY_MIGRATIONS)
  const reads = Object.entries(STATEMENTS).filter(([, sql]) =>
    /FROM (samples|minutes|quarters|hours|slots|program_use)\b/.test(sql),
  )
  expect(reads.length).toBeGreaterThan(10)
  for (const [name, sql] of reads) {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
    const [first, ...more] = steps.map(({ detail }) => String(detail))
    expect(first, name).toMatch(/^SEARCH \w+ USING PRIMARY KEY \(series=\?/)
    expect(more.join(), name).not.toContain('SCAN')
  }
})
