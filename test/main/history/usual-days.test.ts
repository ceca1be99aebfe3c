import { expect, onTestFinished, test } from 'vitest'
import { exchangeTimeOf } from '../../../app/contract/exchange-time.ts'
import { DAY_MS, MINUTE_MS } from '../../../app/contract/units.ts'
import { RECORDED_STRETCH_MS } from '../../../app/history/usual-day.ts'
import { HistoryService } from '../../../main/history/history-service.ts'
import { UsualDays } from '../../../main/history/usual-days.ts'
import { DEFAULT_PROBES } from '../../../main/ports/profile.ts'
import { exampleQuota, exampleSnapshot } from '../hosts/terminal/example-snapshot.ts'
import { FakeMonitor } from '../hosts/terminal/fake-monitor.ts'
import { SteppedClock } from '../stepped-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { CATEGORY, PROFILE, sampleAt, startedStore } from './started-store.ts'

/** A Monday. */
const MONDAY = Date.UTC(2026, 1, 2)
const ROW = { profile: PROFILE, category: CATEGORY }
const EVERY_MS = 10_000
const SCAN_PER_SAMPLE = 20
const SCAN_SECONDS = 360

/**
 * A folder with the records of seven weekdays from 9:00 to 9:45, with a scan at 9:30, and of the morning
 * after them.
 */
function recordedFolder(): { readonly folder: string; readonly nowMs: number } {
  const folder = temporaryFolder()
  const nowMs = exchangeTimeOf(MONDAY + 9 * DAY_MS, 565)
  const { store } = startedStore(folder, new SteppedClock(nowMs))
  for (let day = 0; day < 9; day += 1) {
    const openMs = exchangeTimeOf(MONDAY + day * DAY_MS, 570)
    for (let atMs = openMs - 30 * MINUTE_MS; atMs < openMs + 15 * MINUTE_MS; atMs += EVERY_MS) {
      const isScan = atMs >= openMs && atMs < openMs + SCAN_SECONDS * 1000
      const sample = sampleAt(atMs, isScan ? 200 : 300, { elsewhere: isScan ? SCAN_PER_SAMPLE : 0 })
      store.add({ kind: 'sample', profile: PROFILE, category: CATEGORY, sample })
    }
  }
  store.close()
  return { folder, nowMs }
}

class RowMonitor extends FakeMonitor {
  readonly clock: SteppedClock

  constructor(clock: SteppedClock) {
    super(() => clock.wallMs())
    this.clock = clock
  }

  override snapshot() {
    const at = this.clock.wallMs()
    return exampleSnapshot({ at, requests: [exampleQuota({ category: CATEGORY, observedAt: at })] })
  }
}

test('recorded past days set a row’s expectation, and the usual line of its chart', () => {
  const { folder, nowMs } = recordedFolder()
  const clock = new SteppedClock(nowMs)
  const monitor = new RowMonitor(clock)
  const history = new HistoryService({
    ...{ monitor, clock, log: { note: () => {} }, dataFolder: folder, version: '1.2.3' },
    announcer: { announce: () => {}, withdraw: () => {} },
    problem: () => {},
  })
  onTestFinished(() => history.close())
  monitor.connect({
    ...{ id: PROFILE, name: 'Key', environment: 'custom', clientId: 'key', refreshToken: 'token' },
    ...{ authUrl: 'http://127.0.0.1:1', baseUrl: 'http://127.0.0.1:1', probes: DEFAULT_PROBES, streams: [] },
  })
  clock.advance(1_000)
  const openMs = exchangeTimeOf(MONDAY + 9 * DAY_MS, 570)
  const [load, ...others] = monitor.loads.get(CATEGORY) ?? []
  expect(load).toMatchObject({ atMs: openMs, perSecond: 2, requests: 2 * SCAN_SECONDS })
  expect(others).toEqual([])
  const usual = (fromMs: number) => history.quotaHistory({ ...ROW, fromMs, toMs: openMs, points: 100 }).usual
  // The curve extends beyond both ends of the chart, as far as the forecast does.
  expect(usual(openMs)).toEqual([
    [openMs - 22.5 * MINUTE_MS, 300],
    [openMs - 7.5 * MINUTE_MS, 300],
    [openMs + 7.5 * MINUTE_MS, 260],
  ])
  expect(
    history.quotaHistory({ ...ROW, fromMs: nowMs - DAY_MS / 2, toMs: nowMs - DAY_MS / 4, points: 9 }).usual,
  ).toBeUndefined()
})

test('the record is read at the first poll, at 10:00 and on a new day, and not while reading is not allowed', () => {
  const reads: number[] = []
  const days = new UsualDays(({ toMs }) => {
    reads.push(toMs)
    return []
  })
  const look = (dayMs: number, minute: number, mayRead = true) =>
    days.look(PROFILE, CATEGORY, exchangeTimeOf(dayMs, minute), mayRead).hasRead
  expect(look(MONDAY, 500, false)).toBe(false)
  expect([look(MONDAY, 500), look(MONDAY, 599), look(MONDAY, 600), look(MONDAY, 900)]).toEqual([
    true,
    false,
    true,
    false,
  ])
  expect(look(MONDAY + DAY_MS, 0)).toBe(true)
  days.forget(PROFILE)
  expect(look(MONDAY + DAY_MS, 1)).toBe(true)
  expect(reads).toHaveLength(4)
})

test('a record that can’t be read is read again later, and learned data stays', () => {
  let isFailing = false
  const dayBefore = (toMs: number) =>
    Array.from({ length: 7 }, (_, day) => ({
      atMs: toMs - (day + 1) * DAY_MS,
      ...{ requests: 100, knownMs: RECORDED_STRETCH_MS, level: 300 },
    }))
  const days = new UsualDays(({ toMs }) => (isFailing ? undefined : dayBefore(toMs)))
  const nowMs = exchangeTimeOf(MONDAY + 7 * DAY_MS, 570)
  expect(days.levels({ ...ROW, fromMs: 0, toMs: nowMs })).toEqual([])
  days.look(PROFILE, CATEGORY, nowMs, true)
  const known = days.levels({ ...ROW, fromMs: nowMs, toMs: nowMs + DAY_MS })
  expect(known).toHaveLength(1)
  isFailing = true
  expect(days.look(PROFILE, CATEGORY, nowMs + DAY_MS, true).hasRead).toBe(false)
  expect(days.levels({ ...ROW, fromMs: nowMs, toMs: nowMs + DAY_MS })).toEqual(known)
  isFailing = false
  expect(days.look(PROFILE, CATEGORY, nowMs + DAY_MS, true).hasRead).toBe(true)
})
