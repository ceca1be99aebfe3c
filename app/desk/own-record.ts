import type { Ticket } from '../quota/ledger.ts'
import type { ConcurrencyReading, RateReading } from '../service/headers.ts'
import type { RequestStep } from './messages.ts'

/** How a request ended, for `OwnRecord.answered`. `waitMs`: how long the row of a rate 429 waits. */
interface Answer {
  readonly row: string | undefined
  readonly rate?: RateReading | undefined
  readonly waitMs?: number | undefined
}

/** An observation that was not sent yet: `ageAt` gives it for the time at which it is sent. */
type Unsent = (nowMs: number) => RequestStep

/**
 * This machine's requests, as the other members of its desk learn them: steps in the order in which they
 * happened, with their age at the moment of sending. Times are epoch ms of this machine.
 */
export class OwnRecord {
  readonly #underWay = new Map<number, Ticket>()
  #unsent: Unsent[] = []

  /** Ids of requests without a response. */
  get underWay(): readonly number[] {
    return [...this.#underWay.keys()]
  }

  sent(ticket: Ticket): void {
    const { id, endpoint, sentAtMs } = ticket
    this.#underWay.set(id, ticket)
    this.#unsent.push((nowMs) => ({ kind: 'sent', id, endpoint, age: ageOf(sentAtMs, nowMs) }))
  }

  /** The service answered. The header came at `atMs`, and the wait of a 429 counts from then. */
  answered(ticket: Ticket, { row, rate, waitMs }: Answer, atMs: number): void {
    const ended = this.#ended(ticket, row)
    this.#unsent.push((nowMs) => ({
      kind: 'answered',
      ...ended(nowMs),
      age: ageOf(ticket.headerAtMs ?? atMs, nowMs),
      ...(rate && { rate }),
      ...(waitMs !== undefined && { waitMs: Math.max(0, waitMs - ageOf(atMs, nowMs)) }),
    }))
  }

  /** No answer came. `laterMs`: how long the service may still count the request. */
  lost(ticket: Ticket, laterMs: number): void {
    const ended = this.#ended(ticket, ticket.category)
    this.#unsent.push((nowMs) => ({ kind: 'lost', ...ended(nowMs), laterMs }))
  }

  notSent({ id }: Ticket): void {
    this.#underWay.delete(id)
    this.#unsent.push(() => ({ kind: 'not-sent', id }))
  }

  checked(category: string, atMs: number): void {
    this.#unsent.push((nowMs) => ({ kind: 'checked', category, age: ageOf(atMs, nowMs) }))
  }

  /** The number of own streams of a category. `reading`: what the header of one said of its slots. */
  slots(category: string, own: number, reading?: ConcurrencyReading): void {
    this.#unsent.push(() => ({ kind: 'slots', category, own, ...(reading && { reading }) }))
  }

  /** The steps that were not sent yet, oldest first, at most `most` of them. */
  take(nowMs: number, most: number): RequestStep[] {
    return this.#unsent.splice(0, most).map((ageAt) => ageAt(nowMs))
  }

  #ended({ id, endpoint, sentAtMs }: Ticket, row: string | undefined) {
    this.#underWay.delete(id)
    return (nowMs: number) => ({
      id,
      endpoint,
      sentAge: ageOf(sentAtMs, nowMs),
      ...(row !== undefined && { row }),
    })
  }
}

/** How long before `nowMs` something happened, in ms; never negative. */
export const ageOf = (atMs: number, nowMs: number): number => Math.max(0, nowMs - atMs)
