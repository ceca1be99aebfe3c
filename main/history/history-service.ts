import type { LoggedEvent } from '../../app/contract/events.ts'
import type {
  ExportedFile,
  ExportKind,
  History,
  historyContract,
  ProgramHistory,
  RecordedUses,
  Report,
  Retention,
  SlotSample,
  StorageSummary,
  Trends,
} from '../../app/contract/history.ts'
import type { Feature } from '../../app/contract/ipc.ts'
import { type Outcome, UNKNOWN_PROFILE } from '../../app/contract/outcome.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { MINUTE_MS } from '../../app/contract/units.ts'
import { RECENT_MS } from '../../app/history/recent.ts'
import { reportOf } from '../../app/history/report.ts'
import { Alerts } from '../alerts/alerts.ts'
import type { Announcer } from '../alerts/announcer.ts'
import { ThresholdFile } from '../alerts/threshold-file.ts'
import type { MonitorSurface } from '../monitor/monitor-surface.ts'
import type { Clock, Log } from '../ports/ports.ts'
import { exportedFile } from './exports.ts'
import type { Interval, RowInterval } from './history-file.ts'
import { HistoryStore } from './history-store.ts'
import {
  type HistoryQuery,
  historyOf,
  type ProgramQuery,
  programHistoryOf,
  recordedUsesOf,
  reportFrom,
} from './recorded-use.ts'
import { Recorder } from './recorder.ts'
import { historySentence } from './replaceable-file.ts'
import { UsualDays } from './usual-days.ts'

export interface HistoryServiceDeps {
  readonly monitor: Pick<MonitorSurface, 'subscribe' | 'profiles' | 'snapshot' | 'events' | 'withProfile'>
  readonly clock: Clock
  readonly log: Log
  readonly announcer: Announcer
  readonly version: string
  /** Absent if the history is only in memory. */
  readonly dataFolder?: string
  /** Called when the history file can't be used. Called again only if the file has worked in between. */
  readonly problem: (sentence: string) => void
}

/**
 * How far the chart's line of usual levels extends before and after the history, in milliseconds. The part
 * after the history is drawn with the forecast.
 */
const USUAL_BEYOND_MS = 30 * MINUTE_MS

/** Sampling interval of each profile in milliseconds, for history and alerts. */
const LOOK_MS = 1_000

const MAX_STORED_EVENTS = 5_000

/** Samples, events, reports and alerts of all profiles, stored in the data folder if there is one. */
export class HistoryService {
  readonly alerts: Alerts
  readonly #deps: HistoryServiceDeps
  readonly #store: HistoryStore | undefined
  readonly #recorder: Recorder
  readonly #usualDays: UsualDays
  readonly #unsubscribe: () => void
  /**
   * Problems to report when a key is connected. A problem is reported as an event, and every event belongs to
   * a profile.
   */
  #problems: string[] = []
  /**
   * Sessions that have received their profile's thresholds. A profile gets a new session if the clock is set
   * back far.
   */
  readonly #withThresholds = new WeakSet<object>()
  #cancelLook: () => void = () => {}

  constructor(deps: HistoryServiceDeps) {
    const { dataFolder, clock, log, monitor, announcer } = deps
    this.#deps = deps
    const store =
      dataFolder === undefined
        ? undefined
        : new HistoryStore({
            folder: dataFolder,
            clock,
            log,
            problem: (sentence, failure) => {
              // A problem with a `failure` continues for some time. Each key reports the beginning and the
              // end of such a problem as events, so only other problems are reported here.
              if (failure === undefined) this.#problem(sentence)
            },
          })
    this.#store = store
    this.#usualDays = new UsualDays((asked) => store?.read((file) => file.stretches(asked)))
    this.#recorder = new Recorder((entry) => store?.add(entry))
    this.alerts = new Alerts({
      announcer,
      thresholds: new ThresholdFile(dataFolder, clock.wallMs(), (sentence) => this.#problem(sentence)),
      kept: store?.read((file) => file.openAlerts()) ?? [],
      keep: (id, body) => store?.add({ kind: 'alert', id, body }),
      thresholdsSet: (profile, thresholds) =>
        void monitor.withProfile(profile, (session) => session.setThresholds(thresholds)),
    })
    this.#unsubscribe = monitor.subscribe({
      changed: () => {},
      event: (event) => store?.add({ kind: 'event', event }),
      removed: (profile) => {
        this.#recorder.forget(profile)
        this.#usualDays.forget(profile)
        store?.add({ kind: 'forget', profile })
        this.alerts.removed(profile)
      },
    })
    this.#lookIn(LOOK_MS)
  }

  quotaHistory(query: HistoryQuery): History {
    const { fromMs, toMs } = query
    const drawn = { ...query, fromMs: fromMs - USUAL_BEYOND_MS, toMs: toMs + USUAL_BEYOND_MS }
    const usual = this.#usualDays.levels(drawn)
    const found = this.#levels(query)
    return usual.length === 0 ? found : { ...found, usual }
  }

  #levels(query: HistoryQuery): History {
    const { profile, category, fromMs, toMs, points } = query
    const stored = (untilMs: number, most: number) =>
      this.#store?.read((file) => historyOf(file, { ...query, toMs: untilMs, points: most }))
    const recent = (sinceMs: number, most: number): History => {
      const known = this.#deps.monitor.withProfile(profile, ({ parts }) =>
        parts.history.query(category, sinceMs, toMs, most),
      )
      return 'points' in known ? known : { points: [], rejectedAt: [] }
    }
    // Points in memory are finer than points in the file, so a short interval is read from memory first.
    if (toMs - fromMs > RECENT_MS) return stored(toMs, points) ?? recent(fromMs, points)
    return withEarlier(recent, (untilMs, most) => stored(Math.min(toMs, untilMs), most), query)
  }

  /** Requests of each program behind the gateway in one category. Empty if nothing is stored. */
  programHistory(query: ProgramQuery): ProgramHistory {
    const none = { from: query.fromMs, resolutionMs: MINUTE_MS, programs: [], own: [], elsewhere: [] }
    return this.#store?.read((file) => programHistoryOf(file, query)) ?? none
  }

  /**
   * The levels of a profile's rows, at most `points` per row. Rows without a level are left out. Empty if the
   * profile is not connected.
   */
  trends(query: Omit<HistoryQuery, 'category'>): Trends {
    const rows = this.#deps.monitor.snapshot(query.profile)?.requests ?? []
    return Object.fromEntries(
      rows.flatMap(({ category }) => {
        const { points } = this.quotaHistory({ ...query, category })
        return points.length === 0
          ? []
          : [[category, points.map(({ at, remaining }) => [at, remaining] as const)]]
      }),
    )
  }

  /** The recorded minutes with at least one request. Empty if nothing is stored. */
  recordedUses(interval: Interval): RecordedUses {
    return this.#store?.read((file) => recordedUsesOf(file, interval)) ?? { rows: {}, programs: [] }
  }

  report(interval: Interval): Report {
    return (
      this.#store?.read((file) => reportFrom(file, interval)) ??
      reportOf({ ...interval, requests: new Map(), slots: new Map(), events: this.pastEvents(interval) })
    )
  }

  /** An export as a file. `undefined` if the profile is not connected. */
  exportFile(what: ExportKind, interval: Interval): ExportedFile | undefined {
    const { monitor, version } = this.#deps
    const snapshot = monitor.snapshot(interval.profile)
    if (!snapshot) return undefined
    const report = this.report(interval)
    const events = this.pastEvents(interval)
    return exportedFile(what, interval.fromMs, { version, snapshot, report, events })
  }

  /**
   * The last `MAX_STORED_EVENTS` events of the interval, oldest first. They come from memory if the file
   * can't be read.
   */
  pastEvents(interval: Interval): readonly LoggedEvent[] {
    const { profile, fromMs, toMs } = interval
    const isAsked = (event: LoggedEvent) =>
      event.profile === profile && event.at >= fromMs && event.at <= toMs
    return (
      this.#store?.read((file) => file.events(interval, MAX_STORED_EVENTS)) ??
      this.#deps.monitor.events(0).filter(isAsked)
    )
  }

  slotHistory(asked: RowInterval): readonly SlotSample[] {
    return this.#store?.read((file) => file.slots(asked)) ?? []
  }

  status(): StorageSummary {
    return this.#store?.status() ?? { kind: 'memory' }
  }

  setRetention(retention: Retention): Outcome {
    const written = this.#store?.setRetention(retention) ?? { ok: false, why: 'history is off' }
    if (written.ok) return { ok: true }
    return { ok: false, code: 'not-kept', message: `Saving failed: ${written.why}.` }
  }

  flush(): void {
    this.#store?.flush()
  }

  /**
   * Writes the remaining entries and stops. Call this after the monitor stopped, so that the monitor's last
   * events are stored.
   */
  close(): void {
    this.#cancelLook()
    this.#unsubscribe()
    this.#store?.close()
  }

  #look(): void {
    const { monitor } = this.#deps
    this.#tellProblems()
    for (const profile of monitor.profiles()) {
      const failure = this.#store?.failure
      const failing = failure && { failure, what: historySentence(failure) }
      monitor.withProfile(profile, (session) => {
        if (!this.#withThresholds.has(session)) session.setThresholds(this.alerts.thresholds(profile))
        this.#withThresholds.add(session)
        session.historyFailing(failing)
      })
      const snapshot = monitor.snapshot(profile)
      if (!snapshot) continue
      this.#recorder.observe(snapshot, (...asked) => {
        const header = monitor.withProfile(profile, ({ parts }) => parts.history.lowestHeader(...asked))
        return typeof header === 'number' ? header : undefined
      })
      this.alerts.observe(snapshot)
      this.#expectUsual(profile, snapshot)
    }
    this.#lookIn(LOOK_MS)
  }

  /**
   * Updates each row's usual loads. A call reads at most one row's recorded history, which takes tens of
   * milliseconds.
   */
  #expectUsual(profile: string, { requests, at }: Snapshot): void {
    let mayRead = true
    for (const { category, observedAt } of requests) {
      if (observedAt === undefined) continue
      const { loads, hasRead } = this.#usualDays.look(profile, category, at, mayRead)
      if (hasRead) mayRead = false
      this.#deps.monitor.withProfile(profile, ({ parts }) => parts.ledger.expect(category, loads))
    }
  }

  #problem(sentence: string): void {
    this.#problems.push(sentence)
    this.#tellProblems()
  }

  #tellProblems(): void {
    if (this.#problems.length === 0 || this.#deps.monitor.profiles().length === 0) return
    for (const sentence of this.#problems.splice(0)) this.#deps.problem(sentence)
  }

  #lookIn(ms: number): void {
    this.#cancelLook = this.#deps.clock.after(ms, () => this.#look())
  }
}

/**
 * Returns the points in memory, preceded by earlier points of the file. Each of the two supplies points for
 * its share of the time, so that the points are dense enough everywhere.
 */
function withEarlier(
  recentFrom: (sinceMs: number, most: number) => History,
  stored: (untilMs: number, most: number) => History | undefined,
  { fromMs, toMs, points: most }: HistoryQuery,
): History {
  const recent = recentFrom(fromMs, most)
  const [first] = recent.points
  if (first === undefined) return stored(Number.POSITIVE_INFINITY, most) ?? recent
  const share = Math.floor(((most - 1) * (first.at - fromMs)) / Math.max(1, toMs - fromMs))
  // The file returns at least two points, a low and a high.
  const earlier = share < 2 ? undefined : stored(first.at - 1, share)
  if (earlier === undefined) return recent
  const rejectedAt = [...new Set([...earlier.rejectedAt, ...recent.rejectedAt])].toSorted((a, b) => a - b)
  // The points in memory may begin earlier than the points in the file. For example, the simulator's past is
  // only in memory.
  const since = Math.min(earlier.since ?? Number.POSITIVE_INFINITY, recent.since ?? first.at)
  const room = most - earlier.points.length
  const { points } = recent.points.length > room ? recentFrom(first.at, room) : recent
  return { points: [...earlier.points, ...points], rejectedAt, since }
}

/** The window's commands for the history and its retention. */
export function historyCommands(history: HistoryService): Feature<typeof historyContract> {
  return {
    handlers: {
      history: (query) => history.quotaHistory(query),
      programHistory: (query) => history.programHistory(query),
      trends: (query) => history.trends(query),
      recordedUses: (interval) => history.recordedUses(interval),
      report: (interval) => history.report(interval),
      exportFile: ({ what, ...interval }) => {
        const file = history.exportFile(what, interval)
        return file ? { ok: true, file } : UNKNOWN_PROFILE
      },
      pastEvents: (interval) => history.pastEvents(interval),
      slotHistory: (asked) => history.slotHistory(asked),
      storage: () => history.status(),
      setRetention: (retention) => history.setRetention(retention),
    },
  }
}
