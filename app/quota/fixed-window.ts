import { CLOCK_STEP_MS } from './replenishment.ts'

/** When a fixed window ends, as one header shows it: Reset is a whole number of seconds, rounded up. */
export interface FixedWindow {
  readonly endsEarliestMs: number
  readonly endsLatestMs: number
}

const ROUNDING_SECONDS = 1

/** The window that a header with `resetSeconds` shows, for a request under way from `sentAtMs` to `receivedAtMs`. */
export function fixedWindowOf(resetSeconds: number, sentAtMs: number, receivedAtMs: number): FixedWindow {
  return {
    endsEarliestMs: sentAtMs + (resetSeconds - ROUNDING_SECONDS) * 1000 - CLOCK_STEP_MS,
    endsLatestMs: receivedAtMs + resetSeconds * 1000 + CLOCK_STEP_MS,
  }
}

/** How a header's window stands to the one known before. */
export type WindowStep = 'same' | 'later' | 'earlier' | 'impossible'

/**
 * Whether two headers may speak of windows of one bucket.
 *
 * A window starts at a request and lasts one period (service 8.3.5), so two of them end at least a period
 * apart. Ends that are nearer, and yet not the same, are a time to full that moves: a rolling interval.
 */
export function windowStep(known: FixedWindow, shown: FixedWindow, periodMs: number): WindowStep {
  const slackMs = ROUNDING_SECONDS * 1000
  if (
    shown.endsEarliestMs <= known.endsLatestMs + slackMs &&
    known.endsEarliestMs <= shown.endsLatestMs + slackMs
  ) {
    return 'same'
  }
  if (shown.endsLatestMs + slackMs >= known.endsEarliestMs + periodMs) return 'later'
  if (known.endsLatestMs + slackMs >= shown.endsEarliestMs + periodMs) return 'earlier'
  return 'impossible'
}

/** What two headers say of one window together; the first has the word where they miss each other by a rounding. */
export function narrowed(known: FixedWindow, shown: FixedWindow): FixedWindow {
  const endsEarliestMs = Math.max(known.endsEarliestMs, shown.endsEarliestMs)
  const endsLatestMs = Math.min(known.endsLatestMs, shown.endsLatestMs)
  return endsEarliestMs <= endsLatestMs ? { endsEarliestMs, endsLatestMs } : known
}
