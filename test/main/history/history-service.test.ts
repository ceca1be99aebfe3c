import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Alert, Announcement } from '../../../app/contract/alerts.ts'
import { contract } from '../../../app/contract/contract.ts'
import type { MonitorEvent } from '../../../app/contract/events.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { DEFAULT_THRESHOLDS, thresholdOf } from '../../../app/contract/units.ts'
import { RecentHistory } from '../../../app/history/recent.ts'
import { HistoryService } from '../../../main/history/history-service.ts'
import { answerCommand } from '../../../main/hosts/answer-command.ts'
import { openWindows } from '../../../main/hosts/window-session.ts'
import { DEFAULT_PROBES } from '../../../main/ports/profile.ts'
import { simulatedKey } from '../example-key.ts'
import { appFeatures } from '../hosts/app-features.ts'
import { NO_PUSHES } from '../hosts/no-pushes.ts'
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

test('after a restart, a small chart has points of the file and of the memory, with no hole between', () => {
  const { history, monitor, clock, live } = started(temporaryFolder())
  live(780, 300)
  const memory = new RecentHistory()
  monitor.recentOf = (...of) => memory.query(...of)
  for (let samples = 1; samples <= 40; samples += 1) {
    memory.sampled(monitor.shown.requests ?? [], clock.wallMs())
    const asked = { profile: PROFILE, fromMs: clock.wallMs() - 900_000, toMs: clock.wallMs(), points: 32 }
    const times = [AT_MS, ...(history.trends(asked)['Accounts'] ?? []).map(([atMs]) => atMs), asked.toMs]
    expect(times.length).toBeLessThanOrEqual(34)
    const isHole = (atMs: number, index: number) => atMs - (times[index - 1] ?? atMs) > (4 * 900_000) / 32
    expect(times.some(isHole)).toBe(false)
    live(3, 300)
  }
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

const interval = { profile: PROFILE, fromMs: AT_MS, toMs: AT_MS + 60_000 }

/** A window as a host opens it, on a low quota: every command goes through the contract's own parser. */
function opened() {
  const { history, monitor, clock, live } = started(temporaryFolder())
  const shown = Object.assign(monitor, { profiles: () => [PROFILE] })
  const told: (readonly Alert[])[] = []
  const windows = openWindows({
    monitor: shown,
    clock,
    hello: () => ({ version: '1.2.3', host: 'browser' }),
    features: appFeatures(shown, history),
  })
  const session = windows.open({ ...NO_PUSHES, alertsChanged: (alerts) => void told.push(alerts) })
  const ask = async (name: string, arg?: unknown) => {
    const answer = await answerCommand(contract, session.handlers, name, arg)
    return answer.kind === 'value' ? answer.value : answer
  }
  return { session, told, ask, lowFor: (seconds: number) => live(seconds, 10) }
}

test('a window gets each alert, and can list, dismiss and set thresholds for alerts', async () => {
  const { lowFor, told, ask } = opened()
  lowFor(10)
  expect(told.at(-1)?.map(({ kind }) => kind)).toEqual(['low'])
  const id = told.at(-1)?.[0]?.id
  expect(await ask('alerts')).toEqual(told.at(-1))
  expect(await ask('dismissAlert', { id })).toEqual({ ok: true })
  expect(told.at(-1)).toMatchObject([{ id, dismissed: true }])
  expect(await ask('dismissAlert', { id: 'another' })).toMatchObject({ ok: false, code: 'alert-over' })
  const off = { profile: PROFILE, category: 'Accounts', below: 0 }
  expect(await ask('setAlertThreshold', off)).toMatchObject({ perCategory: { Accounts: 0 } })
  expect(await ask('alertThresholds', { profile: PROFILE })).toMatchObject({ perCategory: { Accounts: 0 } })
  expect(await ask('alerts')).toEqual([])
})

test('a window can fetch history, a report and its files', async () => {
  const { lowFor, ask } = opened()
  lowFor(30)
  expect(await ask('history', { ...interval, category: 'Accounts', points: 300 })).toMatchObject({
    points: expect.arrayContaining([{ at: AT_MS + 1_000, remaining: 10, source: 'header' }]),
  })
  expect(await ask('report', interval)).toMatchObject({ requests: [{ category: 'Accounts', lowest: 10 }] })
  expect(await ask('exportFile', { ...interval, what: 'report-csv' })).toMatchObject({
    ok: true,
    file: { mediaType: 'text/csv' },
  })
  expect(await ask('pastEvents', interval)).toEqual([])
  expect(await ask('slotHistory', { ...interval, category: 'Positions Stream' })).toHaveLength(1)
})

test('a window sees the size of the history and sets its retention', async () => {
  const { ask } = opened()
  expect(await ask('setRetention', { rawMs: 3_600_000, rollupMs: 86_400_000 })).toEqual({ ok: true })
  expect(await ask('storage')).toMatchObject({ kind: 'ok', rawMs: 3_600_000, rollupMs: 86_400_000 })
})

test.each([
  ['report', { ...interval, fromMs: -1 }],
  ['recordedUses', { ...interval, toMs: interval.fromMs + 3 * 86_400_000 }],
  ['exportFile', { ...interval, what: 'everything' }],
  ['setAlertThreshold', { profile: PROFILE, below: 1.1 }],
  ['setRetention', { rawMs: 1, rollupMs: 1 }],
  ['dismissAlert', {}],
])('%s with %j does not reach the history', async (name, arg) => {
  expect(await opened().ask(name, arg)).toMatchObject({ kind: 'bad-argument' })
})

test('a closed window gets no more alerts', () => {
  const { lowFor, session, told } = opened()
  session.close()
  lowFor(20)
  expect(told).toEqual([])
})
