import { onTestFinished } from 'vitest'
import type { Retention } from '../../../app/contract/history.ts'
import type { Sample } from '../../../app/history/sample.ts'
import { HistoryStore } from '../../../main/history/history-store.ts'
import {
  historyOf,
  type ProgramQuery,
  programHistoryOf,
  recordedUsesOf,
  reportFrom,
} from '../../../main/history/recorded-use.ts'
import { SteppedClock } from '../stepped-clock.ts'

export const EPOCH_MS = Date.UTC(2026, 0, 5, 14, 0)
export const PROFILE = 'key-1'
export const CATEGORY = 'Accounts'

export interface StartedStore {
  readonly store: HistoryStore
  readonly clock: SteppedClock
  readonly problems: readonly string[]
}

export function startedStore(
  folder: string,
  clock = new SteppedClock(EPOCH_MS),
  retention?: Retention,
): StartedStore {
  const problems: string[] = []
  const store = new HistoryStore({
    folder,
    clock,
    log: { note: () => {} },
    problem: (sentence) => void problems.push(sentence),
  })
  if (retention) store.setRetention(retention)
  onTestFinished(() => store.close())
  return { store, clock, problems }
}

export const sampleAt = (atMs: number, remaining: number, changes: Partial<Sample> = {}): Sample => ({
  atMs,
  remaining,
  limit: 320,
  source: 'header',
  own: 0,
  elsewhere: 0,
  rejected: 0,
  ...changes,
})

/** One sample per second for `seconds`, each with the level that `level` returns. */
export function record(
  { store, clock }: StartedStore,
  seconds: number,
  level: (second: number) => number | Partial<Sample>,
  category = CATEGORY,
): void {
  for (let second = 0; second < seconds; second += 1) {
    const given = level(second)
    const changes = typeof given === 'number' ? { remaining: given } : given
    store.add({
      kind: 'sample',
      profile: PROFILE,
      category,
      sample: sampleAt(clock.wallMs(), 100, changes),
    })
    clock.advance(1000)
  }
}

/** The stored chart of the row. */
export const chartOf = (store: HistoryStore, fromMs: number, toMs: number, points = 300) =>
  store.read((file) => historyOf(file, { profile: PROFILE, category: CATEGORY, fromMs, toMs, points }))

export const reportOn = (store: HistoryStore, fromMs: number, toMs: number, profile = PROFILE) =>
  store.read((file) => reportFrom(file, { profile, fromMs, toMs }))

export const eventsIn = (store: HistoryStore, fromMs: number, toMs: number) =>
  store.read((file) => file.events({ profile: PROFILE, fromMs, toMs }, 5_000))

export const usesIn = (store: HistoryStore, fromMs: number, toMs: number, profile = PROFILE) =>
  store.read((file) => recordedUsesOf(file, { profile, fromMs, toMs }))

export const programsIn = (
  store: HistoryStore,
  query: Partial<ProgramQuery> & Omit<ProgramQuery, 'profile' | 'category'>,
) => store.read((file) => programHistoryOf(file, { profile: PROFILE, category: CATEGORY, ...query }))
