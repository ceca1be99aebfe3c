/** Waits between the attempts of a failing operation. */
export interface RetrySchedule {
  /** Longest wait after each consecutive failure, in milliseconds. The last one repeats. */
  readonly stepsMs: readonly [number, ...number[]]
  /** Randomness of each wait: 0 for exactly the step, 1 for a random time between 0 and the step. */
  readonly jitter: number
}

/** Retry schedules of operations that Headroom retries by itself. */
export const RETRY = {
  /**
   * Opening a stream. Full jitter, so that clients that lost their connections together do not reconnect
   * together.
   */
  stream: { stepsMs: [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000], jitter: 1 },
  /** Requests to a host that does not respond. */
  host: { stepsMs: [1_000, 2_000, 4_000, 8_000, 16_000, 30_000], jitter: 0.5 },
  /** Checks that get a 401 although the token is new. The new token might not be valid everywhere yet. */
  unauthorized: { stepsMs: [10_000, 30_000, 60_000, 120_000, 300_000, 600_000], jitter: 0 },
  /** Refreshing after a 401, if the last refresh returned a token that was rejected too. */
  rejected: { stepsMs: [30_000, 60_000, 120_000, 300_000, 600_000], jitter: 0 },
  /**
   * Testing whether others still use a quota's whole refill. With these waits, the quota gets at most four
   * 429s per minute. This includes the two 429s before the first wait.
   */
  othersTakeAll: { stepsMs: [20_000, 40_000, 60_000], jitter: 0 },
  /** Refreshing an access token. */
  refresh: { stepsMs: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000], jitter: 0.5 },
  /** Refreshing for a request that needs another token, if the last refresh failed or did not help. */
  wantedRefresh: { stepsMs: [5_000], jitter: 0 },
  /** Refreshing after an unreadable response. Each such response may have used up a refresh token. */
  malformedRefresh: { stepsMs: [120_000, 300_000], jitter: 0.5 },
  /** Checking whether the sign-in host responds, while a person waits to sign in. */
  signInHost: { stepsMs: [2_000, 4_000, 8_000, 15_000], jitter: 0 },
  /** Repeating a revocation that the service has not confirmed. */
  revocation: { stepsMs: [30_000], jitter: 0.5 },
  /** Storing a token. A full disk is often freed within minutes. */
  tokenSave: { stepsMs: [5_000, 15_000, 30_000, 60_000], jitter: 0 },
  /** Listening on the gateway's port, if another program occupied it at startup. */
  gatewayPort: { stepsMs: [1_000, 2_000, 5_000, 10_000, 30_000], jitter: 0 },
  /** Writing the journal of orders. While that fails, no order is sent. */
  orderJournal: { stepsMs: [1_000, 2_000, 5_000], jitter: 0 },
  /** Writing the history file. */
  history: { stepsMs: [1_000, 2_000, 5_000, 15_000, 30_000], jitter: 0 },
  /**
   * Connecting to a desk after none of its servers responded. Waits at most five seconds, because the machine
   * can't share the key's quotas with the desk until it is connected.
   */
  deskServer: { stepsMs: [250, 500, 1_000, 2_000, 5_000], jitter: 0.5 },
  /** Asking another member of a desk for its current state. */
  deskPicture: { stepsMs: [2_000, 4_000, 8_000, 16_000, 30_000], jitter: 0.5 },
  /**
   * Reloading a page that crashed. The first reload is immediate, because a monitor that runs for weeks must
   * not stay blank.
   */
  page: { stepsMs: [0, 1_000, 5_000, 30_000], jitter: 0 },
} as const satisfies Record<string, RetrySchedule>

/**
 * The wait after `failures` consecutive failures (from 1), in milliseconds. `chance` is uniform in [0, 1).
 */
export function retryDelayMs({ stepsMs, jitter }: RetrySchedule, failures: number, chance: number): number {
  const stepMs = stepsMs[Math.min(Math.max(1, failures), stepsMs.length) - 1] ?? stepsMs[0]
  return stepMs * (1 - jitter) + stepMs * jitter * chance
}
