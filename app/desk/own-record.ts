import type { Ticket } from '../quota/ledger.ts'
import type { ConcurrencyReading, RateReading } from '../service/headers.ts'
import type { RequestStep } from './messages.ts'

/** The answer to a request, as the members of a desk report it to each other. */
export interface DeskAnswer {
  /** The row that counted the request, according to the member that sent it. */
  readonly row: string | undefined
  readonly rate?: RateReading | undefined
  /** After a 429 because of the request rate: how long the row waits, in milliseconds. */
  readonly waitMs?: number | undefined
}

/** Whether the service counted a request. A 429 because of the request rate uses no quota (service 3). */
export const isCounted = ({ rate, waitMs }: Partial<DeskAnswer>): boolean =>
  waitMs === undefined || rate === undefined

/** Makes a step at its sending time `nowMs`, because the ages in a step depend on that time. */
type Unsent = (nowMs: number) => RequestStep

/**
 * This machine's requests, as steps for the other members of its desk. The steps are in order. An age in a
 * step is the age when the step is sent. Times are epoch ms of this machine.
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

  /** Records the service's response, which arrived at `atMs`. The wait after a 429 starts at that time. */
  answered(ticket: Ticket, { row, rate, waitMs }: DeskAnswer, atMs: number): void {
    const ended = this.#ended(ticket, row)
    this.#unsent.push((nowMs) => ({
      kind: 'answered',
      ...ended(nowMs),
      age: ageOf(ticket.headerAtMs ?? atMs, nowMs),
      ...(rate && { rate }),
      ...(waitMs !== undefined && { waitMs: Math.max(0, waitMs - ageOf(atMs, nowMs)) }),
    }))
  }

  /** Records a request without a response. The service may still count it within `laterMs`. */
  lost(ticket: Ticket, laterMs: number): void {
    const ended = this.#ended(ticket, ticket.category)
    this.#unsent.push((nowMs) => ({ kind: 'lost', ...ended(nowMs), laterMs }))
  }

  notSent({ id }: Ticket): void {
    this.#underWay.delete(id)
    this.#unsent.push(() => ({ kind: 'not-sent', id }))
  }

  checked(category: string): void {
    this.#unsent.push(() => ({ kind: 'checked', category }))
  }

  /** Records the number of own streams in a category. `reading`: a header's numbers for the slots. */
  slots(category: string, own: number, reading?: ConcurrencyReading): void {
    this.#unsent.push(() => ({ kind: 'slots', category, own, ...(reading && { reading }) }))
  }

  /** Removes and returns the oldest unsent steps, at most `most`. */
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

/** Milliseconds from `atMs` to `nowMs`, 0 or more. */
export const ageOf = (atMs: number, nowMs: number): number => Math.max(0, nowMs - atMs)
