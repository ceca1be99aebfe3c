import { keepNewest } from '../contract/newest.ts'
import { RETRY, retryDelayMs } from '../retry/schedules.ts'

/** The consecutive 401s of one path. Times are epoch milliseconds. */
interface RejectedPath {
  /** The last access token for which the path returned a 401. */
  readonly token: string
  /** How many new tokens this path has rejected since it last accepted one. */
  readonly failures: number
  readonly notBeforeMs: number
}

/** Whether a response shows that the token was accepted. Throttling or a failing service shows nothing. */
export const acceptsToken = (status: number): boolean => status !== 401 && status !== 429 && status < 500

/** Maximum number of remembered paths, because programs may call any number of them. */
const MAX_PATHS = 256

const NEVER = Number.NEGATIVE_INFINITY

/**
 * Decides whether a 401 causes a refresh. Even a 401 for a new token causes one, unless a recent refresh did
 * not help.
 *
 * A refresh did not help if a path that rejected the old token also rejects the new one. Then the 401s of all
 * paths are ignored for the first wait of `RETRY.rejected`. If this happens again on a path, the 401s of that
 * path alone are ignored for longer waits. So a path that requires a missing scope causes few refreshes, and
 * other paths can still cause one.
 *
 * If a path accepted a token and now rejects it, the token has ended. The 401 then causes a refresh in spite
 * of these waits, but not within `RETRY.wantedRefresh` of the last refresh.
 */
export class Rejections {
  readonly #paths = new Map<string, RejectedPath>()
  /** For each path, the last token that it accepted. */
  readonly #accepted = new Map<string, string>()
  /** The rejected token for which a refresh was last requested, and when. */
  #asked: { readonly token: string; readonly atMs: number } | undefined
  #notBeforeMs = NEVER

  /** Records that `path` rejected the present token with a 401. Returns whether to refresh now. */
  rejected(token: string, path: string, nowMs: number): boolean {
    const before = this.#paths.get(path)
    if (before !== undefined && before.token !== token) {
      const failures = before.failures + 1
      note(this.#paths, path, { token, failures, notBeforeMs: nowMs + waitMs(failures) })
      this.#notBeforeMs = nowMs + waitMs(1)
      return false
    }
    if (before === undefined) note(this.#paths, path, { token, failures: 0, notBeforeMs: NEVER })
    const { atMs: askedAtMs = NEVER, token: askedFor } = this.#asked ?? {}
    const notBeforeMs = Math.max(this.#notBeforeMs, before?.notBeforeMs ?? NEVER)
    const hasEnded =
      this.#accepted.get(path) === token && nowMs >= askedAtMs + retryDelayMs(RETRY.wantedRefresh, 1, 0)
    if (nowMs < notBeforeMs && !hasEnded) return false
    if (askedFor === token && nowMs < askedAtMs + waitMs(1)) return false
    this.#asked = { token, atMs: nowMs }
    return true
  }

  /** Records that `path` accepted `token`. See `acceptsToken`. */
  accepted(token: string, path: string): void {
    this.#paths.delete(path)
    note(this.#accepted, path, token)
  }
}

/** Stores a value for a path. Beyond `MAX_PATHS` paths, forgets the oldest one. */
function note<T>(paths: Map<string, T>, path: string, value: T): void {
  paths.delete(path)
  paths.set(path, value)
  keepNewest(paths, MAX_PATHS)
}

const waitMs = (failures: number): number => retryDelayMs(RETRY.rejected, failures, 0)
