import { createHash, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '../../ports/ports.ts'
export interface AdmissionDeps {
  readonly randomBytes: RandomBytes
  readonly monotonicMs: () => number
}

export type CodeVerdict =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'too-many'; readonly retryAfterSeconds: number }

const SECRET_BYTES = 32
const MAX_FAILURES = 20
const FAILURE_WINDOW_MS = 60_000

export class Admission {
  readonly #deps: AdmissionDeps
  #code: string
  /** When recent wrong codes came, oldest first; never longer than what it takes to refuse. */
  #failedAtMs: number[] = []

  constructor(deps: AdmissionDeps) {
    this.#deps = deps
    this.#code = newSecret(deps.randomBytes)
  }

  /** The code that is good now. */
  get code(): string {
    return this.#code
  }

  /**
   * A right code is taken even while wrong ones are being turned away: guessing 256 bits is hopeless either way,
   * and a program that sends rubbish must not be able to lock the person out.
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

export const newSecret = (randomBytes: RandomBytes): string =>
  Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url')

/** A lookup by digest takes as long for a nearly right secret as for a wrong one. */
export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

/** Digests are compared, because `timingSafeEqual` takes equal lengths only. */
const isSameSecret = (offered: string, wanted: string): boolean =>
  timingSafeEqual(createHash('sha256').update(offered).digest(), createHash('sha256').update(wanted).digest())
