import { Agent, request } from 'node:http'
import { probeRequest } from '../../../main/api/prober.ts'
import { refreshed } from '../../main/simulator/refreshed.ts'
import type { DrawnTraffic } from './process.ts'

/**
 * Where others' programs send their requests, and as whom: with an access token of their own on the same key.
 */
export interface OthersAt {
  readonly origin: string
  readonly clientId: string
  readonly refreshToken: string
}

/** Requests of others on one quota so far. */
export interface OthersCount {
  readonly accepted: number
  readonly refused: number
  readonly failed: number
}

export const NO_COUNT: OthersCount = { accepted: 0, refused: 0, failed: 0 }

/** Interval of new access tokens. The simulator's tokens are valid for twenty minutes. */
const NEW_TOKEN_MS = 10 * 60_000
const LATE_MS = 5
const SUBJECTS = { account: 'SIM1001', symbol: 'MSFT' }

/** Other programs on the key: their requests go out over HTTP at the moments that were drawn for them. */
export class LiveOthers {
  readonly #at: OthersAt
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 })
  #token = ''
  #tokenAtMs = Number.NEGATIVE_INFINITY
  readonly #counts = new Map<string, OthersCount>()
  #timer: NodeJS.Timeout | undefined

  constructor(at: OthersAt) {
    this.#at = at
  }

  /** `nowMs` is on the clock of the drawn times. */
  async start(traffic: ReadonlyMap<string, DrawnTraffic>, nowMs: () => number): Promise<void> {
    await this.#renew(nowMs())
    const tick = () => {
      const now = nowMs()
      if (now - this.#tokenAtMs > NEW_TOKEN_MS) void this.#renew(now)
      let next = now + 1000
      for (const [category, drawn] of traffic) {
        for (; drawn.nextAtMs <= now; drawn.advance()) this.#send(category)
        next = Math.min(next, drawn.nextAtMs)
      }
      this.#timer = setTimeout(tick, Math.max(LATE_MS, next - now))
    }
    tick()
  }

  countOf(category: string): OthersCount {
    return this.#counts.get(category) ?? NO_COUNT
  }

  #count(category: string, as: keyof OthersCount): void {
    const before = this.countOf(category)
    this.#counts.set(category, { ...before, [as]: before[as] + 1 })
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#agent.destroy()
  }

  #send(category: string): void {
    const asked = probeRequest(category, SUBJECTS)
    if (!asked) throw new Error(`no request of ${category}`)
    const headers = { authorization: `Bearer ${this.#token}`, accept: 'application/json' }
    const sent = request(`${this.#at.origin}${asked.path}`, { agent: this.#agent, headers }, (answer) => {
      const { statusCode } = answer
      this.#count(category, statusCode === 200 ? 'accepted' : statusCode === 429 ? 'refused' : 'failed')
      answer.resume()
    })
    sent.on('error', () => this.#count(category, 'failed'))
    sent.end()
  }

  async #renew(nowMs: number): Promise<void> {
    this.#tokenAtMs = nowMs
    const answer = await refreshed(this.#at.origin, this.#at)
    const body: unknown = await answer.json()
    const token =
      typeof body === 'object' && body !== null && 'access_token' in body ? body.access_token : undefined
    if (typeof token !== 'string') throw new Error(`no token for others: ${answer.status}`)
    this.#token = token
  }
}
