import type { StreamSummary } from '../contract/snapshot.ts'
import type { Reading } from './episode.ts'

const WINDOW_MS = 10 * 60_000
/** Restarts within the window that are an alert; a planned one now and then is usual (service 12). */
const OFTEN = 3

interface Seen {
  restarts: number
  timesMs: number[]
}

/** Restarts of each stream over the last ten minutes, which a single snapshot does not show. */
export class Restarts {
  readonly #streams = new Map<string, Seen>()

  /** `key` names the stream among those of all profiles. */
  reading(key: string, { state, restarts }: StreamSummary, nowMs: number): Reading {
    const before = this.#streams.get(key) ?? { restarts, timesMs: [] }
    const fresh = Array.from(
      { length: Math.min(OFTEN, Math.max(0, restarts - before.restarts)) },
      () => nowMs,
    )
    const timesMs = [...before.timesMs.filter((ms) => nowMs - ms < WINDOW_MS), ...fresh].slice(-OFTEN)
    this.#streams.set(key, { restarts, timesMs })
    if (state === 'closed') return { kind: 'gone' }
    if (timesMs.length >= OFTEN) return { kind: 'bad', asOfMs: nowMs }
    const isUp = state === 'live' || state === 'snapshot'
    return isUp && timesMs.length === 0 ? { kind: 'good', asOfMs: nowMs } : { kind: 'between' }
  }

  forget(key: string): void {
    this.#streams.delete(key)
  }
}
