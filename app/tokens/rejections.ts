import { RETRY, retryDelayMs } from '../retry/schedules.ts'

/** Consecutive 401s of one path. Times are epoch milliseconds. */
interface RejectedPath {
  /** The last access token that it rejected. */
  readonly token: string
  /** Consecutive replacement tokens that were rejected too. */
  readonly failures: number
  readonly notBeforeMs: number
}

/** Whether a response shows that the token was accepted. Throttling or a failing service does not. */
export const acceptsToken = (status: number): boolean => status !== 401 && status !== 429 && status < 500

/** Most paths to remember, because programs may call ever new ones. */
const MAX_PATHS = 256

const NEVER = Number.NEGATIVE_INFINITY

/**
 * Decides whether a 401 is worth a refresh. It is, however young the token is, unless a recent refresh did
 * not help.
 *
 * A refresh did not help if the same path rejects the new token too. Then no 401 causes another refresh for
 * the first step of `RETRY.rejected`, and none of this path for its next step. So a path that requires a
 * missing scope costs few refreshes, while a token that the service ended is still replaced at once.
 */
export class Rejections {
  readonly #paths = new Map<string, RejectedPath>()
  /** The token of the last requested refresh, and how long no other is requested. */
  #asked: { readonly token: string; readonly untilMs: number } | undefined
  #notBeforeMs = NEVER

  /** Takes a 401 of `path` for `token`, the one in use. Returns whether to refresh now. */
  rejected(token: string, path: string, nowMs: number): boolean {
    const before = this.#paths.get(path)
    if (before !== undefined && before.token !== token) {
      const failures = before.failures + 1
      this.#note(path, { token, failures, notBeforeMs: nowMs + waitMs(failures) })
      this.#notBeforeMs = nowMs + waitMs(1)
      return false
    }
    if (before === undefined) this.#note(path, { token, failures: 0, notBeforeMs: NEVER })
    if (nowMs < Math.max(this.#notBeforeMs, before?.notBeforeMs ?? NEVER)) return false
    if (this.#asked?.token === token && nowMs < this.#asked.untilMs) return false
    this.#asked = { token, untilMs: nowMs + waitMs(1) }
    return true
  }

  /** Takes a response of `path` that accepts the token: see `acceptsToken`. */
  accepted(path: string): void {
    this.#paths.delete(path)
  }

  #note(path: string, rejected: RejectedPath): void {
    const [oldest] = this.#paths.keys()
    if (oldest !== undefined && this.#paths.size >= MAX_PATHS) this.#paths.delete(oldest)
    this.#paths.set(path, rejected)
  }
}

const waitMs = (failures: number): number => retryDelayMs(RETRY.rejected, failures, 0)
