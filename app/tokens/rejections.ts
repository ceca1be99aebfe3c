import { RETRY, retryDelayMs } from '../retry/schedules.ts'

/** The 401s of one path in a row. Times are epoch milliseconds. */
interface RejectedPath {
  /** The access token that it rejected last. */
  readonly token: string
  /** Tokens in a row that replaced a rejected one and were rejected too. */
  readonly failures: number
  readonly notBeforeMs: number
}

/** Whether an answer shows that the token was accepted. One of a throttle or a failing service does not say. */
export const acceptsToken = (status: number): boolean => status !== 401 && status !== 429 && status < 500

/** The most paths to remember: programs may ask for ever new ones. */
const MAX_PATHS = 256

const NEVER = Number.NEGATIVE_INFINITY

/**
 * Decides whether a 401 is worth a refresh: however young the token is, unless a refresh did not help lately.
 *
 * It did not help where the same path rejects the token that replaced the rejected one: no 401 causes another refresh
 * for the first step of `RETRY.rejected`, and none of this path for its next step. A path that asks for a scope which
 * the key lacks thus costs few refreshes, while one whose token the service has ended does not wait for it.
 */
export class Rejections {
  readonly #paths = new Map<string, RejectedPath>()
  /** The token that a refresh was asked for last, and until when no other is. */
  #asked: { readonly token: string; readonly untilMs: number } | undefined
  #notBeforeMs = NEVER

  /** Takes in a 401 of `path` to `token`, the one in use. Returns whether to refresh now. */
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

  /** Takes in an answer of `path` that accepts the token: see `acceptsToken`. */
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
