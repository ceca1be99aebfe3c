import { onTestFinished } from 'vitest'
import type { Sample } from '../../../app/history/sample.ts'
import type { Retention } from '../../../main/history/compaction.ts'
import { HistoryStore } from '../../../main/history/history-store.ts'
import { VirtualClock } from '../hosts/terminal/virtual-clock.ts'

export const EPOCH_MS = Date.UTC(2026, 0, 5, 14, 0)
export const PROFILE = 'key-1'
export const CATEGORY = 'Accounts'

export interface StartedStore {
  readonly store: HistoryStore
  readonly clock: VirtualClock
  readonly problems: readonly string[]
}

export function startedStore(
  folder: string,
  clock = new VirtualClock(EPOCH_MS),
  retention?: Retention,
): StartedStore {
  const problems: string[] = []
  const store = new HistoryStore({
    folder,
    clock,
    log: { note: () => {} },
    problem: (sentence) => void problems.push(sentence),
    ...(retention && { retention }),
  })
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
