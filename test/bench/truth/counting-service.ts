import { categoryOf } from '../../../app/service/categories.ts'
import type { HttpOutcome, RateReading } from '../../../app/service/headers.ts'
import type { Http, HttpRequest } from '../../../main/ports/ports.ts'
import { quotaHeaders } from '../../../main/simulator/quota-headers.ts'
import type { RequestQuotas } from '../../../main/simulator/rules/request-quotas.ts'
import type { VirtualClock } from '../../simulation/virtual-clock.ts'
import { headersOf } from '../../simulation/wire-form.ts'
import type { Chance } from './process.ts'

/** Report of each request to the watched quota. */
export interface Witness {
  sent(id: number, atMs: number): void
  /** `isOwn`: the request is one of the trader's own programs, not a check. */
  counted(remaining: number, isRefused: boolean, isOwn: boolean, atMs: number): void
  answered(id: number, rate: Required<RateReading>, isRefused: boolean, atMs: number): void
}

const ACCOUNTS = JSON.stringify({ Accounts: [{ AccountID: 'SIM1001' }] })
const REFUSED = JSON.stringify({ Error: 'TooManyRequests', Message: 'Rate quota exceeded' })
/** Query that marks a request of the trader's own programs, as opposed to a check. */
export const OWN = '?own'
/** One way over the network, milliseconds. */
const LATENCY_MS = { least: 20, spread: 130 }

/**
 * The service of the product under measurement: the simulator's quota rules behind the `Http` port, on
 * virtual time.
 */
export class CountingService implements Http {
  readonly #quotas: RequestQuotas
  readonly #category: string
  readonly #clock: VirtualClock
  readonly #chance: Chance
  readonly #witness: Witness
  #nextId = 0

  constructor(
    quotas: RequestQuotas,
    category: string,
    clock: VirtualClock,
    chance: Chance,
    witness: Witness,
  ) {
    this.#quotas = quotas
    this.#category = category
    this.#clock = clock
    this.#chance = chance
    this.#witness = witness
  }

  send(request: HttpRequest): Promise<HttpOutcome> {
    const { pathname, search } = new URL(request.url)
    const category = categoryOf(request.method, pathname)
    if (category === undefined) throw new Error(`no category for ${pathname}`)
    const isWatched = category === this.#category
    const id = this.#nextId++
    if (isWatched) this.#witness.sent(id, this.#clock.worldMs())
    return new Promise((resolve) => {
      this.#clock.happen(this.#latencyMs(), () => {
        const countedAtMs = this.#clock.worldMs()
        const isRefused = !this.#quotas.spend(category, countedAtMs)
        const reading = this.#quotas.reading(category, countedAtMs)
        if (!reading) throw new Error(`no quota ${category}`)
        if (isWatched) this.#witness.counted(reading.remaining, isRefused, search === OWN, countedAtMs)
        this.#clock.happen(this.#latencyMs(), () => {
          const rate = { ...reading, resource: category }
          if (isWatched) this.#witness.answered(id, rate, isRefused, this.#clock.worldMs())
          resolve({
            kind: 'answer',
            status: isRefused ? 429 : 200,
            headers: {
              'content-type': 'application/json; charset=utf-8',
              ...headersOf(quotaHeaders(category, reading, undefined)),
            },
            body: isRefused ? REFUSED : ACCOUNTS,
          })
        })
      })
    })
  }

  async reach(): Promise<undefined> {}

  open(): never {
    throw new Error('the bench opens no streams')
  }

  #latencyMs(): number {
    return LATENCY_MS.least + LATENCY_MS.spread * this.#chance()
  }
}
