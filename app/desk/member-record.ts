import type { Ticket } from '../quota/ledger.ts'
import type { MeteredLedger } from '../quota/metered-ledger.ts'
import type { ConcurrencyReading, RateReading } from '../service/headers.ts'
import type { MemberReport, RequestStep } from './messages.ts'
import type { RowHeaders } from './row-headers.ts'

/** When a message was sent, as a range in epoch ms of this machine. */
export interface SentAt {
  readonly fromMs: number
  readonly toMs: number
}

/** What another member's request showed. */
export interface ForeignAnswer {
  readonly rate?: RateReading | undefined
  /** For a 429 of the request rate: how much longer its row waits. */
  readonly waitMs?: number | undefined
  /** The row that the member charged. */
  readonly row?: string | undefined
}

/** What a member's observations change on this machine. */
export interface RecordDeps {
  readonly ledger: Pick<MeteredLedger, 'sentByDesk' | 'notSent' | 'lost' | 'missedByDesk'>
  readonly headers: RowHeaders
  readonly now: () => number
  /** Applies an answer. Returns the row that counted the request. */
  readonly answered: (member: string, ticket: Ticket, answer: ForeignAnswer) => string | undefined
  readonly checked: (category: string, atMs: number) => void
  /** The member's streams changed; `reading`: what a header said of the slots of `category`. */
  readonly slots: (category: string | undefined, reading?: ConcurrencyReading) => void
}

/**
 * What one other member did, as far as it is known here.
 *
 * Its observations arrive in order, but some may be missing. Each report gives the member's total requests
 * and the requests under way. From these, this record charges requests that it missed, and settles those
 * whose end it missed. After each report, both machines have the same counts.
 */
export class MemberRecord {
  readonly #id: string
  readonly #deps: RecordDeps
  readonly #underWay = new Map<number, Ticket>()
  /** Requests of each row that counted and were noticed; `undefined` before the first totals. */
  #noticed: Map<string, number> | undefined
  #streams: Readonly<Record<string, number>> = {}
  /** When the last totals were sent at the earliest, epoch ms. */
  #totalsAtMs = 0

  constructor(id: string, deps: RecordDeps) {
    this.#id = id
    this.#deps = deps
  }

  /** The member's streams by category. */
  get streams(): Readonly<Record<string, number>> {
    return this.#streams
  }

  observed(list: readonly RequestStep[], sentAt: SentAt): void {
    for (const one of list) this.#observed(one, sentAt)
  }

  /** Brings the counts up to those of the member. The first totals only set where counting begins. */
  totals({ counted, streams, underWay }: Totals, { fromMs }: SentAt): void {
    const { ledger, headers, now } = this.#deps
    const nowMs = now()
    this.#streams = streams
    this.#deps.slots(undefined)
    const noticed = this.#noticed
    const open = new Set(underWay)
    for (const [id, ticket] of this.#underWay) {
      if (open.has(id)) continue
      this.#underWay.delete(id)
      const row = ticket.category
      const isCounted = row !== undefined && (counted[row] ?? 0) > (noticed?.get(row) ?? 0)
      if (isCounted) this.#answered(ticket, {})
      else ledger.notSent(ticket, nowMs)
    }
    for (const [row, total] of Object.entries(counted)) {
      const missed = noticed === undefined ? 0 : total - (noticed.get(row) ?? 0)
      if (missed <= 0) continue
      ledger.missedByDesk(row, missed, { sinceMs: this.#totalsAtMs, nowMs })
      for (let one = 0; one < missed; one += 1) headers.counted(row)
    }
    this.#noticed = new Map(Object.entries(counted))
    this.#totalsAtMs = Math.min(nowMs, fromMs)
  }

  /** The member does not respond any more. Its requests under way may have counted. */
  ended(): void {
    const { ledger, now } = this.#deps
    for (const ticket of this.#underWay.values()) {
      ledger.lost(ticket, now())
      this.#notice(ticket.category)
    }
    this.#underWay.clear()
    this.#streams = {}
    this.#deps.slots(undefined)
  }

  #observed(one: RequestStep, { fromMs, toMs }: SentAt): void {
    const { ledger, now, checked, slots } = this.#deps
    if (one.kind === 'sent') {
      this.#underWay.set(one.id, ledger.sentByDesk(one.endpoint, fromMs - one.age, now()))
      return
    }
    if (one.kind === 'not-sent') {
      const ticket = this.#take(one.id)
      if (ticket) ledger.notSent(ticket, now())
      return
    }
    if (one.kind === 'checked') {
      checked(one.category, Math.min(now(), toMs - one.age))
      return
    }
    if (one.kind === 'slots') {
      this.#streams = { ...this.#streams, [one.category]: one.own }
      slots(one.category, one.reading)
      return
    }
    const ticket = this.#take(one.id) ?? ledger.sentByDesk(one.endpoint, fromMs - one.sentAge, now())
    if (one.kind === 'lost') {
      ledger.lost(ticket, now(), one.laterMs)
      this.#notice(one.row ?? ticket.category)
      return
    }
    const headerAtMs = Math.min(now(), toMs - one.age)
    const { rate, waitMs, row } = one
    this.#answered({ ...ticket, headerAtMs }, { rate, waitMs, row })
  }

  #answered(ticket: Ticket, answer: ForeignAnswer): void {
    const { headers, answered, now } = this.#deps
    const row = answered(this.#id, ticket, answer)
    const { rate } = answer
    const isHeader = row !== undefined && rate?.remaining !== undefined
    const isRejected = answer.waitMs !== undefined && rate !== undefined
    // A 429 of the request rate uses nothing (service 3).
    if (!isRejected) this.#notice(answer.row ?? row)
    if (isHeader)
      headers.seen(row, { from: this.#id, rate, sentAtMs: ticket.sentAtMs, atMs: ticket.headerAtMs ?? now() })
  }

  /** Counts a request of the member as noticed. */
  #notice(row: string | undefined): void {
    if (row === undefined) return
    this.#deps.headers.counted(row)
    this.#noticed?.set(row, (this.#noticed.get(row) ?? 0) + 1)
  }

  #take(id: number): Ticket | undefined {
    const ticket = this.#underWay.get(id)
    this.#underWay.delete(id)
    return ticket
  }
}

type Totals = Pick<MemberReport, 'counted' | 'streams' | 'underWay'>
