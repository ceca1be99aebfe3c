import type { RateReading } from '../../../app/service/headers.ts'

export interface Rule {
  readonly limit: number
  readonly periodSeconds: number
  readonly window: 'rolling' | 'fixed'
}

/**
 * The service as in service 8.3, written as naively as the text reads, and without a line of the code under
 * test. It keeps its clock in whole milliseconds, as services do.
 */
export class ReferenceService {
  readonly rule: Rule
  #level: number
  #atMs: number
  #windowEndsMs = Number.NEGATIVE_INFINITY

  constructor(rule: Rule, level: number, atMs: number) {
    this.rule = rule
    this.#level = level
    this.#atMs = Math.floor(atMs)
  }

  /** One request. False: refused, and it cost nothing. */
  spend(atMs: number): boolean {
    this.level(atMs)
    if (this.#level < 1) return false
    const { window, limit, periodSeconds } = this.rule
    if (window === 'fixed' && this.#level === limit) this.#windowEndsMs = this.#atMs + periodSeconds * 1000
    this.#level -= 1
    return true
  }

  /** What is left at `atMs`, with its fraction. */
  level(atMs: number): number {
    const now = Math.max(this.#atMs, Math.floor(atMs))
    const { window, limit, periodSeconds } = this.rule
    if (window === 'rolling') {
      const secondsPerRequest = periodSeconds / limit
      this.#level = Math.min(limit, this.#level + (now - this.#atMs) / 1000 / secondsPerRequest)
    } else if (now >= this.#windowEndsMs) this.#level = limit
    this.#atMs = now
    return this.#level
  }

  headers(atMs: number): Required<Omit<RateReading, 'resource'>> {
    const { window, limit, periodSeconds } = this.rule
    const level = this.level(atMs)
    const toFull =
      window === 'rolling'
        ? ((limit - level) * periodSeconds) / limit
        : Math.max(0, (this.#windowEndsMs - this.#atMs) / 1000)
    return {
      limit,
      periodSeconds,
      remaining: Math.floor(level + 1e-9),
      resetSeconds: Math.ceil((window === 'fixed' && level === limit ? 0 : toFull) - 1e-9),
    }
  }
}
