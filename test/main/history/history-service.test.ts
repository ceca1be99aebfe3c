import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Announcement } from '../../../app/contract/alerts.ts'
import type { MonitorEvent } from '../../../app/contract/events.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { DEFAULT_THRESHOLDS, thresholdOf } from '../../../app/contract/units.ts'
import { HistoryService } from '../../../main/history/history-service.ts'
import { DEFAULT_PROBES } from '../../../main/ports/profile.ts'
import { simulatedKey } from '../example-key.ts'
import { AT_MS, exampleQuota, exampleSnapshot } from '../hosts/terminal/example-snapshot.ts'
import { FakeMonitor } from '../hosts/terminal/fake-monitor.ts'
import { SteppedClock } from '../stepped-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const PROFILE = 'simulator'
const REFUSED: MonitorEvent = {
  kind: 'rate-limited',
  category: 'Accounts',
  retryAt: AT_MS + 60_000,
  requestId: 'req-1',
}

class ShownMonitor extends FakeMonitor {
  shown: Partial<Snapshot> = {}
  readonly clock: SteppedClock

  constructor(clock: SteppedClock) {
    super(() => clock.wallMs())
    this.clock = clock
  }

  override snapshot() {
    return exampleSnapshot({ at: this.clock.wallMs(), ...this.shown })
  }
}

function started(dataFolder?: string, clock = new SteppedClock(AT_MS)) {
  const monitor = new ShownMonitor(clock)
  const announced: Announcement[] = []
  const withdrawn: string[] = []
  const problems: string[] = []
  const history = new HistoryService({
    monitor,
    clock,
    log: { note: () => {} },
    announcer: {
      announce: (announcement) => void announced.push(announcement),
      withdraw: (id) => void withdrawn.push(id),
    },
    version: '1.2.3',
    ...(dataFolder !== undefined && { dataFolder }),
    problem: (sentence) => void problems.push(sentence),
  })
  onTestFinished(() => history.close())
  monitor.connect(
    simulatedKey('http://127.0.0.1:1', {
      id: PROFILE,
      name: 'Built-in simulator',
      refreshToken: 'SECRET-refresh-token',
      probes: DEFAULT_PROBES,
    }),
  )
  const shows = (remaining: number) => {
    const threshold = thresholdOf(monitor.thresholds.get(PROFILE) ?? DEFAULT_THRESHOLDS, 'Accounts')
    const state = remaining < threshold * 320 ? 'low' : 'ok'
    const now = { observedAt: clock.wallMs(), asOf: clock.wallMs(), used: { own: 5, elsewhere: 70 } }
    monitor.shown = {
      requests: [exampleQuota({ remaining, low: remaining, high: remaining, threshold, state, ...now })],
    }
  }
  const live = (seconds: number, remaining: number) => {
    for (let second = 0; second < seconds; second += 1) {
      shows(remaining)
      clock.advance(1_000)
    }
  }
  return { history, monitor, clock, announced, withdrawn, problems, live }
}

test('use of the quota is observed, counted, stored and reported', () => {
  const { history, monitor, clock, live } = started(temporaryFolder())
  live(30, 300)
  monitor.tell(REFUSED)
  live(30, 10)
  const nowMs = clock.wallMs()
  const asked = { profile: PROFILE, fromMs: AT_MS, toMs: nowMs }
  const { points } = history.quotaHistory({ ...asked, category: 'Accounts', points: 300 })
  const trend = history.trends({ ...asked, points: 32 })['Accounts'] ?? []
  expect(trend.length).toBeGreaterThan(1)
  expect(trend.length).toBeLessThanOrEqual(32)
  expect(trend.at(-1)).toEqual([points.at(-1)?.at, points.at(-1)?.remaining])
  expect(history.trends({ ...asked, profile: 'nobody', points: 32 })).toEqual({})
  expect(points.map(({ remaining }) => remaining)).toEqual(expect.arrayContaining([300, 10]))
  const report = history.report(asked)
  expect(report.requests[0]).toMatchObject({ category: 'Accounts', own: 5, elsewhere: 70 })
  expect(history.pastEvents(asked)).toMatchObject([{ kind: 'rate-limited', requestId: 'req-1' }])
})

test('a chart records since its oldest point, even one from an earlier run', () => {
  const { history, monitor, clock, live } = started(temporaryFolder())
  const first = { at: AT_MS - 600_000, remaining: 320, source: 'header' } as const
  monitor.recent = { points: [first], rejectedAt: [], since: first.at }
  live(30, 300)
  const asked = { profile: PROFILE, category: 'Accounts', fromMs: AT_MS - 900_000, points: 300 }
  const since = () => history.quotaHistory({ ...asked, toMs: clock.wallMs() }).since
  expect(since()).toBe(first.at)
  // The file goes back further than this run's memory.
  monitor.recent = { points: [{ ...first, at: clock.wallMs() }], rejectedAt: [], since: clock.wallMs() }
  expect(since()).toBeLessThan(AT_MS + 10_000)
})

test('the exports are named files, and contain no secret', () => {
  const { history, monitor, clock, live } = started(temporaryFolder())
  live(5, 300)
  monitor.tell(REFUSED)
  const files = (['report-csv', 'report-json', 'incident'] as const).map((what) =>
    history.exportFile(what, { profile: PROFILE, fromMs: AT_MS, toMs: clock.wallMs() }),
  )
  expect(files.map((file) => file?.name)).toEqual([
    'headroom-report-simulator-simulator-2026-01-05T1530.csv',
    'headroom-report-simulator-simulator-2026-01-05T1530.json',
    'headroom-incident-simulator-simulator-2026-01-05T1530.json',
  ])
  expect(files[2]?.text).toContain('req-1')
  expect(JSON.stringify(files)).not.toContain('SECRET')
})

test('a low quota is announced once, sent to the windows, and withdrawn after recovery', () => {
  const { history, announced, withdrawn, live } = started()
  const told: number[] = []
  history.alerts.onChanged((alerts) => told.push(alerts.length))
  live(60, 10)
  expect(announced.map(({ title }) => title)).toEqual(['Accounts is low'])
  expect(history.alerts.open()).toHaveLength(1)
  live(30, 300)
  expect(withdrawn).toEqual(announced.map(({ id }) => id))
  expect(told).toEqual([1, 0])
})

test('an alert that lasts over a restart is shown, but not announced again', () => {
  const folder = temporaryFolder()
  const clock = new SteppedClock(AT_MS)
  const before = started(folder, clock)
  before.live(10, 10)
  before.history.close()
  const after = started(folder, clock)
  after.live(10, 10)
  expect(after.announced).toEqual([])
  expect(after.history.alerts.open().map(({ id }) => id)).toEqual(before.announced.map(({ id }) => id))
})

test('a threshold survives a restart', () => {
  const folder = temporaryFolder()
  const before = started(folder)
  before.history.alerts.setThreshold(PROFILE, 'Accounts', 0.01)
  before.history.close()
  const after = started(folder)
  after.live(20, 10)
  expect(after.announced).toEqual([])
  expect(after.history.alerts.thresholds(PROFILE).perCategory).toEqual({ Accounts: 0.01 })
})

test('the rows of a key follow its thresholds, from the start and at each change', () => {
  const folder = temporaryFolder()
  const before = started(folder)
  before.live(2, 300)
  expect(before.monitor.thresholds.get(PROFILE)).toEqual({ below: 0.2, perCategory: {} })
  before.history.alerts.setThreshold(PROFILE, 'Accounts', 0.5)
  expect(before.monitor.thresholds.get(PROFILE)?.perCategory).toEqual({ Accounts: 0.5 })
  before.history.close()
  const after = started(folder)
  after.live(2, 300)
  expect(after.monitor.thresholds.get(PROFILE)?.perCategory).toEqual({ Accounts: 0.5 })
  after.monitor.startAnew()
  after.live(2, 300)
  expect(after.monitor.thresholds.get(PROFILE)?.perCategory).toEqual({ Accounts: 0.5 })
})

test('without a data folder nothing is stored, but alerts still appear', () => {
  const { history, announced, live, clock } = started()
  live(10, 10)
  expect(announced).toHaveLength(1)
  expect(history.status()).toEqual({ kind: 'memory' })
  const { requests } = history.report({ profile: PROFILE, fromMs: AT_MS, toMs: clock.wallMs() })
  expect(requests).toEqual([])
})

test('an unusable file is reported once a key is connected, and monitoring continues', () => {
  const { history, monitor, problems, announced, live } = started('/nonexistent/folder')
  live(60, 10)
  // The problem is reported for each key, together with its end.
  expect(problems).toEqual([])
  expect(announced).toHaveLength(1)
  expect(history.status().kind).toBe('failing')
  expect([...monitor.historyFailures.values()]).toMatchObject([
    { failure: 'not-allowed', what: expect.stringContaining('permissions') },
  ])
})

test('damaged history settings are renamed and reported, and the default retention applies', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'history.json'), '{"rawMs":')
  const { history, problems, live } = started(folder)
  live(10, 10)
  expect(problems).toEqual([
    expect.stringMatching(/^History settings: the file is damaged and was renamed to history\.corrupt-/),
  ])
  expect(history.status()).toMatchObject({ kind: 'ok', rawMs: 48 * 3_600_000 })
})

test('after close, it leaves no timer and receives nothing more', () => {
  const { history, clock, monitor } = started(temporaryFolder())
  history.close()
  expect(clock.pending).toBe(0)
  expect(monitor.listening).toBe(0)
})
