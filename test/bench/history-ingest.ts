import { performance } from 'node:perf_hooks'
import type { Sample } from '../../app/history/sample.ts'
import { HistoryStore } from '../../main/history/history-store.ts'
import { historyOf, reportFrom } from '../../main/history/recorded-use.ts'
import { SteppedClock } from '../main/stepped-clock.ts'

export const SERIES = 20
export const PROFILE = 'key'
const DAY_S = 86_400
const WEEK_MS = 7 * DAY_S * 1000
const LIMIT = 500
/** The number of points that a chart requests. */
const POINTS = 300

export const categoryOf = (series: number): string => `Category ${series}`

export interface Ingested {
  readonly store: HistoryStore
  readonly nowMs: number
  readonly samples: number
  /** How long the writes of each second blocked the process, with the compaction of that second. */
  readonly writes: Times
}

/**
 * Writes `days` days in which every bucket changes every second. This is the maximum that the recorder
 * writes.
 */
export function ingest(
  folder: string,
  days: number,
  dayDone: (day: number, store: HistoryStore) => void = () => {},
): Ingested {
  const clock = new SteppedClock(Date.UTC(2026, 0, 1))
  const problems: string[] = []
  const store = new HistoryStore({
    folder,
    clock,
    log: { note: () => {} },
    problem: (sentence) => void problems.push(sentence),
  })
  const levels = Array.from({ length: SERIES }, (_, series) => (series * 25) % LIMIT)
  let seed = 1
  const seconds = Math.round(days * DAY_S)
  const writes = new Float64Array(seconds)
  for (let second = 1; second <= seconds; second += 1) {
    for (const [series, level] of levels.entries()) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      const remaining = Math.min(LIMIT, Math.max(0, level + ((seed >> 16) % 7) - 3))
      levels[series] = remaining
      store.add({
        kind: 'sample',
        profile: PROFILE,
        category: categoryOf(series),
        sample: sampleAt(remaining),
      })
    }
    const startedMs = performance.now()
    clock.advance(1000)
    writes[second - 1] = performance.now() - startedMs
    if (second % DAY_S === 0) dayDone(second / DAY_S, store)
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return { store, nowMs: clock.wallMs(), samples: seconds * SERIES, writes: timesOf(writes.sort()) }

  function sampleAt(remaining: number): Sample {
    return {
      atMs: clock.wallMs(),
      remaining,
      limit: LIMIT,
      source: remaining % 3 === 0 ? 'header' : 'modelled',
      own: remaining % 2,
      elsewhere: remaining % 5 === 0 ? 1 : 0,
      rejected: remaining === 0 ? 1 : 0,
    }
  }
}

export interface Times {
  readonly p50: number
  readonly p95: number
  readonly p999: number
  readonly worst: number
}

/** The queries of a window, each timed 60 times. */
export function timedQueries(
  store: HistoryStore,
  nowMs: number,
  rounds = 60,
): Readonly<Record<string, Times>> {
  const range = (lengthMs: number) => (series: number, round: number) => {
    const points = store.read((file) =>
      historyOf(file, {
        profile: PROFILE,
        category: categoryOf(series),
        fromMs: nowMs - lengthMs - round * 977,
        toMs: nowMs - round * 977,
        points: POINTS,
      }),
    )
    if (!points || points.points.length > POINTS) throw new Error('a query answered more than was asked for')
  }
  const week = range(WEEK_MS)
  const each = (ask: (series: number, round: number) => void) => (round: number) => ask(round % SERIES, round)
  const all = (ask: (series: number, round: number) => void) => (round: number) => {
    for (let series = 0; series < SERIES; series += 1) ask(series, round)
  }
  return {
    [`7 days of ${SERIES} buckets`]: timed(rounds, all(week)),
    '7 days of one bucket': timed(rounds, each(week)),
    '24 hours of one bucket': timed(rounds, each(range(WEEK_MS / 7))),
    '2 hours of one bucket': timed(rounds, each(range(WEEK_MS / 84))),
    '15 minutes of one bucket': timed(rounds, each(range(15 * 60_000))),
    [`report of 7 days of ${SERIES} buckets`]: timed(rounds, () =>
      store.read((file) => reportFrom(file, { profile: PROFILE, fromMs: nowMs - WEEK_MS, toMs: nowMs })),
    ),
  }
}

function timed(rounds: number, run: (round: number) => void): Times {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now()
    run(round)
    times.push(performance.now() - startedMs)
  }
  return timesOf(times.sort((a, b) => a - b))
}

function timesOf(times: ArrayLike<number>): Times {
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95), p999: at(0.999), worst: at(1) }
}
