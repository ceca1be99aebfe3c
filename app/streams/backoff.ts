/** Full jitter: uniform between 0 and an exponentially growing bound. Milliseconds. */
export interface Backoff {
  readonly baseMs: number
  readonly capMs: number
  /** Time of health after which attempts count from 0 again. */
  readonly healthyAfterMs: number
}

export const STREAM_BACKOFF: Backoff = { baseMs: 500, capMs: 30_000, healthyAfterMs: 30_000 }

/** The wait before attempt `attempt`, counted from 0, in milliseconds. `chance` is uniform in [0, 1). */
export function backoffMs(backoff: Backoff, attempt: number, chance: number): number {
  const bound = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(attempt, 30))
  return bound * chance
}
