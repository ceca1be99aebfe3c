import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { hostileInteger } from '../hostile-integer.ts'
import { hostileFile } from '../hostile-json.ts'
import { SteppedClock } from '../stepped-clock.ts'
import { quickFolder } from '../storage/temporary-folder.ts'
import {
  CATEGORY,
  chartOf,
  EPOCH_MS,
  eventsIn,
  PROFILE,
  record,
  reportOn,
  startedStore,
} from './started-store.ts'

/** The number of history files to test. Each has one cell that differs from what was written. */
const RUNS = 1_500
const TABLES = [
  'series',
  'samples',
  'minutes',
  'slots',
  'events',
  'quarters',
  'hours',
  'open_alerts',
] as const

function writtenHistory(): string {
  const folder = quickFolder()
  const started = startedStore(folder)
  record(started, 1, (second) => 300 - second)
  for (let minute = 0; minute < 70; minute += 1) {
    record(started, 2, () => 200 - minute)
    started.clock.advance(58_000)
  }
  const { store, clock } = started
  const at = clock.wallMs()
  store.add({
    kind: 'slots',
    profile: PROFILE,
    category: CATEGORY,
    sample: { atMs: at, limit: 40, own: 1, elsewhere: 0, free: 39 },
  })
  store.add({ kind: 'event', event: { seq: 1, profile: PROFILE, at, kind: 'revoked' } })
  store.add({ kind: 'alert', id: 'a', body: '{"id":"a"}' })
  store.close()
  return folder
}

const integer = hostileInteger(EPOCH_MS)
const text = fc.oneof(
  fc.string(),
  hostileFile({ seq: 1, profile: PROFILE, at: EPOCH_MS, kind: 'revoked' }).map((found) =>
    Buffer.from(found).toString(),
  ),
)

test('1,500 history files with one foreign cell lose at most history: the start neither fails nor slows down', () => {
  const good = writtenHistory()
  const folder = quickFolder()
  const database = new DatabaseSync(join(good, 'history.db'))
  const cells = TABLES.flatMap((table) =>
    database
      .prepare(`SELECT * FROM ${table} LIMIT 3`)
      .all()
      .flatMap((row) => Object.entries(row).map(([column, value]) => ({ table, row, column, value }))),
  )
  database.close()
  expect(new Set(cells.map(({ table }) => table)).size).toBeGreaterThan(5)
  let tried = 0
  const changes = fc.nat(cells.length - 1).chain((at) => {
    const values: fc.Arbitrary<SQLInputValue> = typeof cells[at]!.value === 'string' ? text : integer
    return values.map((written) => ({ ...cells[at]!, written }))
  })
  fc.assert(
    fc.property(changes, ({ table, row, column, written }) => {
      rmSync(folder, { recursive: true, force: true })
      cpSync(good, folder, { recursive: true })
      const damaged = new DatabaseSync(join(folder, 'history.db'))
      try {
        const which = Object.keys(row).map((name) => `${name} = ?`)
        damaged
          .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${which.join(' AND ')}`)
          .run(written, ...Object.values(row))
      } catch {
        return // two rows of one key, or a kind that there is not
      } finally {
        damaged.close()
      }
      tried += 1
      const startedAtMs = performance.now()
      const { store, clock, problems } = startedStore(folder, new SteppedClock(EPOCH_MS + 2 * 3_600_000))
      const now = clock.wallMs()
      for (const points of [2, 300]) {
        const history = chartOf(store, EPOCH_MS - 86_400_000, now, points)
        for (const point of history?.points ?? [])
          expect([Number.isFinite(point.at), Number.isFinite(point.remaining)]).toEqual([true, true])
      }
      reportOn(store, EPOCH_MS - 86_400_000, now)
      eventsIn(store, 0, now)
      store.read((file) => file.slots({ profile: PROFILE, category: CATEGORY, fromMs: 0, toMs: now }))
      store.read((file) => file.openAlerts())
      clock.advance(130_000)
      store.close()
      expect(problems.length).toBeLessThanOrEqual(2)
      // All of this takes about 0.1 s on a quiet machine. The limit finds a value with which it would never
      // end.
      expect(performance.now() - startedAtMs).toBeLessThan(10_000)
    }),
    { numRuns: RUNS },
  )
  expect(tried).toBeGreaterThan(0.7 * RUNS)
  proves('D2', { level: 2, cases: tried })
}, 60_000)
