import { Ledger } from '../../app/quota/ledger.ts'
import type { RequestQuotaDefault } from '../../app/service/categories.ts'
import type { RateReading } from '../../app/service/headers.ts'

/** The number that a client shows for one quota, based on the headers of its own requests. */
export interface Client {
  readonly name: string
  sent(id: number, nowMs: number): void
  answered(id: number, rate: Required<RateReading>, nowMs: number, isRejected: boolean): void
  remaining(nowMs: number): number
}

/** Headroom's ledger, as the monitor uses it. */
export class Modelled implements Client {
  readonly name = 'headroom'
  readonly ledger: Ledger
  readonly #category: string
  readonly #tickets = new Map<number, ReturnType<Ledger['sent']>>()

  constructor(quota: RequestQuotaDefault, startMs: number) {
    this.#category = quota.category
    this.ledger = new Ledger([quota], startMs)
  }

  sent(id: number, nowMs: number): void {
    this.#tickets.set(id, this.ledger.sent(this.#category, nowMs))
  }

  answered(id: number, rate: Required<RateReading>, nowMs: number, isRejected: boolean): void {
    const ticket = this.#tickets.get(id)
    if (ticket) this.ledger.answered(ticket, rate, nowMs, isRejected)
    this.#tickets.delete(id)
  }

  remaining(nowMs: number): number {
    return this.ledger.rowAt(this.#category, nowMs)?.remaining ?? Number.NaN
  }
}

type Reading = (last: Required<RateReading>, elapsedSeconds: number, nowSeconds: number) => number

/** How clients without a model of the bucket read the last header. */
const READINGS: Readonly<Record<string, Reading>> = {
  'no model: the last Remaining, unchanged': ({ remaining }) => remaining,
  'Reset as an epoch time': ({ remaining, resetSeconds, limit }, _elapsed, nowSeconds) =>
    nowSeconds >= resetSeconds ? limit : remaining,
  'Reset as the end of a window': ({ remaining, resetSeconds, limit }, elapsed) =>
    elapsed >= resetSeconds ? limit : remaining,
  'Reset as the wait for each request': ({ remaining, resetSeconds, limit }, elapsed) =>
    resetSeconds === 0 ? limit : Math.min(limit, remaining + Math.floor(elapsed / resetSeconds)),
}

/** Clients that keep the last header, each with its own way of reading it. */
export function otherClients(): readonly Client[] {
  return Object.entries(READINGS).map(([name, read]) => {
    let last: { readonly rate: Required<RateReading>; readonly atMs: number } | undefined
    return {
      name,
      sent: () => {},
      answered: (_id, rate, atMs) => {
        if (last === undefined || atMs >= last.atMs) last = { rate, atMs }
      },
      remaining: (nowMs) => (last ? read(last.rate, (nowMs - last.atMs) / 1000, nowMs / 1000) : Number.NaN),
    }
  })
}
