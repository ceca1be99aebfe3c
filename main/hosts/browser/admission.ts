import { isSameSecret, newSecret } from '../../network/random-secret.ts'
import type { RandomBytes } from '../../ports/ports.ts'

export interface AdmissionDeps {
  readonly randomBytes: RandomBytes
  readonly monotonicMs: () => number
}

/**
 * The result of checking a code. After `MAX_FAILURES` wrong codes within a minute, a further wrong code gets
 * `too-many`.
 */
export type CodeVerdict =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'too-many'; readonly retryAfterSeconds: number }

const MAX_FAILURES = 20
const FAILURE_WINDOW_MS = 60_000

/**
 * The single-use code that admits a browser window. A new code replaces a used one. For too many wrong codes,
 * see `CodeVerdict`.
 */
export class Admission {
  readonly #deps: AdmissionDeps
  #code: string
  /** Times of recent wrong codes, oldest first. At most `MAX_FAILURES`. */
  #failedAtMs: number[] = []

  constructor(deps: AdmissionDeps) {
    this.#deps = deps
    this.#code = newSecret(deps.randomBytes)
  }

  get code(): string {
    return this.#code
  }

  /**
   * Checks a code, and replaces a correct one.
   *
   * A correct code is accepted even after too many wrong codes. 256 bits can't be guessed anyway, and a
   * program that sends wrong codes must not lock the person out.
   */
  offer(code: string): CodeVerdict {
    if (isSameSecret(code, this.#code)) {
      this.#code = newSecret(this.#deps.randomBytes)
      return { kind: 'admitted' }
    }
    const now = this.#deps.monotonicMs()
    this.#failedAtMs = this.#failedAtMs.filter((at) => now - at < FAILURE_WINDOW_MS)
    const [oldest] = this.#failedAtMs
    if (oldest !== undefined && this.#failedAtMs.length >= MAX_FAILURES)
      return { kind: 'too-many', retryAfterSeconds: Math.ceil((oldest + FAILURE_WINDOW_MS - now) / 1000) }
    this.#failedAtMs.push(now)
    return { kind: 'refused' }
  }
}
