import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { CompactionTime } from '../../../main/history/compaction.ts'
import { HistoryStore } from '../../../main/history/history-store.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { CATEGORY, EPOCH_MS, PROFILE, sampleAt } from './started-store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WRONG_MS = 400 * DAY_MS

function storeOn(folder: string, clock: VirtualClock): HistoryStore {
  return new HistoryStore({ folder, clock, log: { note: () => {} }, problem: () => {} })
}

/** Lets `ms` pass with a sample every half minute. Each has the time that the wall clock shows. */
async function live(store: HistoryStore, clock: VirtualClock, ms: number): Promise<void> {
  for (let lived = 0; lived < ms; lived += MINUTE_MS / 2) {
    const remaining = 300 - ((lived / 1000) % 50)
    store.add({
      kind: 'sample',
      profile: PROFILE,
      category: CATEGORY,
      sample: sampleAt(clock.wallMs(), remaining),
    })
    await clock.advance(MINUTE_MS / 2)
  }
}

/** A folder in which an hour is recorded, until `endMs`. */
async function recordedHour() {
  const folder = temporaryFolder()
  const clock = new VirtualClock(EPOCH_MS)
  const first = storeOn(folder, clock)
  await live(first, clock, HOUR_MS)
  first.close()
  const endMs = clock.wallMs()
  return { folder, clock, endMs }
}

const rowsOf = (folder: string, table: string, fromMs: number, toMs: number) => {
  const database = new DatabaseSync(join(folder, 'history.db'), { readOnly: true })
  const { n } = database
    .prepare(`SELECT count(*) AS n FROM ${table} WHERE at BETWEEN ? AND ?`)
    .get(fromMs, toMs)!
  database.close()
  return Number(n)
}

test.each([
  ['forward', WRONG_MS],
  ['back', -WRONG_MS],
])(
  'a wall clock 400 days %s for 70 s deletes no history, and later samples are rolled up as usual',
  async (_, wrongMs) => {
    const folder = temporaryFolder()
    const clock = new VirtualClock(EPOCH_MS)
    const store = storeOn(folder, clock)
    await live(store, clock, 2 * HOUR_MS)
    const before = rowsOf(folder, 'samples', EPOCH_MS, clock.wallMs())
    const minutesBefore = rowsOf(folder, 'minutes', EPOCH_MS, clock.wallMs())
    expect(before).toBeGreaterThan(200)
    clock.jumpWall(wrongMs)
    await live(store, clock, 70_000)
    clock.jumpWall(-wrongMs)
    const rightAgainMs = clock.wallMs()
    await live(store, clock, HOUR_MS)
    store.flush()
    expect(rowsOf(folder, 'samples', EPOCH_MS, rightAgainMs - 1)).toBeGreaterThanOrEqual(before)
    expect(rowsOf(folder, 'minutes', EPOCH_MS, rightAgainMs - 1)).toBeGreaterThanOrEqual(minutesBefore)
    expect(rowsOf(folder, 'minutes', rightAgainMs, clock.wallMs())).toBeGreaterThan(55)
    store.close()
    // A start continues from data before the present time, not from later data that the wrong clock wrote.
    const again = storeOn(folder, clock)
    const startMs = clock.wallMs()
    await live(again, clock, HOUR_MS)
    expect(rowsOf(folder, 'minutes', startMs, clock.wallMs())).toBeGreaterThan(55)
    expect(rowsOf(folder, 'samples', EPOCH_MS, rightAgainMs - 1)).toBeGreaterThanOrEqual(before)
    again.close()
    proves('D2', { level: 2, cases: 1 })
  },
)

test('a wall clock that jumps 400 days back and forth deletes no history, before or after a restart', async () => {
  const folder = temporaryFolder()
  const clock = new VirtualClock(EPOCH_MS)
  let store = storeOn(folder, clock)
  await live(store, clock, HOUR_MS)
  store.flush()
  const endMs = clock.wallMs() - 1
  const samples = rowsOf(folder, 'samples', EPOCH_MS, endMs)
  const minutes = rowsOf(folder, 'minutes', EPOCH_MS, endMs)
  expect(samples).toBeGreaterThan(100)
  for (let turn = 0; turn < 40; turn += 1) {
    const jumpMs = turn % 4 < 2 ? WRONG_MS : -WRONG_MS
    clock.jumpWall(turn % 2 === 0 ? jumpMs : -jumpMs)
    await live(store, clock, turn % 3 === 0 ? 10 * MINUTE_MS : MINUTE_MS)
    if (turn % 10 === 5) {
      store.close()
      store = storeOn(folder, clock)
    }
  }
  const rightAgainMs = clock.wallMs()
  await live(store, clock, HOUR_MS)
  store.flush()
  expect(rowsOf(folder, 'samples', EPOCH_MS, endMs)).toBeGreaterThanOrEqual(samples)
  expect(rowsOf(folder, 'minutes', EPOCH_MS, endMs)).toBeGreaterThanOrEqual(minutes)
  expect(rowsOf(folder, 'samples', rightAgainMs, clock.wallMs())).toBeGreaterThan(100)
  expect(rowsOf(folder, 'minutes', rightAgainMs, clock.wallMs())).toBeGreaterThan(55)
  store.close()
  proves('D2', { level: 2, cases: 40 })
})

test('a start with a clock 400 days ahead deletes nothing until it has run for a day', async () => {
  const { folder, clock, endMs } = await recordedHour()
  clock.jumpWall(WRONG_MS)
  const second = storeOn(folder, clock)
  await clock.advance(DAY_MS - MINUTE_MS)
  expect(rowsOf(folder, 'samples', EPOCH_MS, endMs)).toBeGreaterThan(100)
  await clock.advance(3 * MINUTE_MS)
  expect(rowsOf(folder, 'samples', EPOCH_MS, endMs)).toBe(0)
  second.close()
})

test('a start after a month without Headroom is not delayed by that month', async () => {
  const { folder, clock, endMs } = await recordedHour()
  await clock.advance(31 * DAY_MS)
  for (let start = 0; start < 2; start += 1) {
    const store = storeOn(folder, clock)
    await live(store, clock, DAY_MS + HOUR_MS)
    store.close()
  }
  expect(rowsOf(folder, 'samples', EPOCH_MS, endMs)).toBe(0)
})

test('compaction uses the clock, or the newest sample if that is more than a day behind', () => {
  const time = new CompactionTime()
  const newest = () => 1_000_000
  expect(time.at(1_000_000 + DAY_MS, 0, newest)).toBe(1_000_000 + DAY_MS)
  expect(time.at(1_000_000 + 2 * DAY_MS + 1, 5, newest)).toBe(1_000_000 + DAY_MS)
  expect(time.at(1_000_000 + 2 * DAY_MS + 2, DAY_MS + 4, newest)).toBe(1_000_000 + DAY_MS)
  expect(time.at(1_000_000 + 2 * DAY_MS + 3, DAY_MS + 5, newest)).toBe(1_000_000 + 2 * DAY_MS + 3)
  // The clock goes back and then ahead again, so the day of waiting starts again.
  expect(time.at(1_000_000, DAY_MS + 6, newest)).toBe(1_000_000)
  expect(time.at(1_000_000 + 9 * DAY_MS, DAY_MS + 7, newest)).toBe(1_000_000)
  expect(time.at(1_000_000, DAY_MS + 8, newest)).toBe(1_000_000)
  expect(time.at(1_000_000 + 9 * DAY_MS, 2 * DAY_MS + 7, newest)).toBe(1_000_000)
  expect(new CompactionTime().at(7, 0, () => undefined)).toBe(7)
})
