import type { Ticket } from '../quota/ledger.ts'
import type { MeteredLedger } from '../quota/metered-ledger.ts'
import type { ConcurrencyReading, RateReading } from '../service/headers.ts'
import type { MemberReport, RequestStep } from './messages.ts'
import type { RowHeaders } from './row-headers.ts'

/** The earliest and latest time at which a message can have been sent, epoch ms on this machine's clock. */
export interface SentAt {
  readonly fromMs: number
  readonly toMs: number
}

/** The response to another member's request. */
export interface ForeignAnswer {
  readonly rate?: RateReading | undefined
  /** After a 429 because of the request rate: how much longer the row waits, in milliseconds. */
  readonly waitMs?: number | undefined
  /** The row that the member charged. */
  readonly row?: string | undefined
}

/** The parts of this machine that a member's observations update. */
export interface RecordDeps {
  readonly ledger: Pick<MeteredLedger, 'sentByDesk' | 'notSent' | 'lost' | 'missedByDesk' | 'foundByDesk'>
  readonly headers: RowHeaders
  readonly now: () => number
  /** When this machine joined the desk, epoch ms. */
  readonly sinceMs: number
  /** Applies a response. Returns the row that counted the request. */
  readonly answered: (member: string, ticket: Ticket, answer: ForeignAnswer) => string | undefined
  readonly checked: (category: string, atMs: number) => void
  /**
   * Called when the member's streams changed. `reading`: what a header showed about the slots of `category`.
   */
  readonly slots: (category: string | undefined, reading?: ConcurrencyReading) => void
}

/**
 * The requests and streams of one other desk member, as far as this machine knows them.
 *
 * The member's observations arrive in order, but some may be missing. Each report states the member's total
 * requests and its requests in flight. With these totals, this record charges the requests that it missed,
 * and settles requests whose outcome it missed. After each report, both machines have the same counts.
 */
export class MemberRecord {
  readonly #id: string
  readonly #deps: RecordDeps
  readonly #underWay = new Map<number, Ticket>()
  /** Number of counted requests that this record knows, by row. */
  #noticed = new Map<string, number>()
  #hasTotals = false
  /** The rows of requests that were counted as lost when the member stopped responding, by request id. */
  readonly #lost = new Map<number, string>()
  #streams: Readonly<Record<string, number>> = {}
  /** Earliest time at which the member may have sent its last totals, epoch ms. */
  #totalsAtMs = 0

  constructor(id: string, deps: RecordDeps) {
    this.#id = id
    this.#deps = deps
  }

  /** The member's counted requests since its app started, by row. `undefined` before the first totals. */
  get counted(): Readonly<Record<string, number>> | undefined {
    return this.#hasTotals ? Object.fromEntries(this.#noticed) : undefined
  }

  /** The member's streams by category. */
  get streams(): Readonly<Record<string, number>> {
    return this.#streams
  }

  observed(list: readonly RequestStep[], sentAt: SentAt): void {
    for (const one of list) this.#observed(one, sentAt)
  }

  /**
   * Updates the counts to the member's totals, and charges the requests that this record missed.
   *
   * When the first totals arrive, it matters which machine joined the desk first. If this machine did, all
   * requests of the member since it joined are charged, however late the totals arrive. If the member did,
   * the first totals are only the starting point of the count.
   */
  totals({ counted, run, streams, underWay }: Totals, { fromMs }: SentAt): void {
    const { ledger, headers, now, sinceMs } = this.#deps
    const nowMs = now()
    this.#streams = streams
    this.#deps.slots(undefined)
    const noticed = this.#noticed
    const beganAtMs = Math.min(nowMs, fromMs - run.age)
    const isBeginning = !this.#hasTotals && beganAtMs < sinceMs
    if (!this.#hasTotals && !isBeginning) {
      this.#totalsAtMs = beganAtMs
      for (const [row, before] of Object.entries(run.counted))
        noticed.set(row, before + (noticed.get(row) ?? 0))
    }
    this.#hasTotals = true
    const open = new Set(underWay)
    for (const id of open) this.#found(id)
    // Requests that are no longer in flight are already part of `counted`, if the service counted them.
    this.#lost.clear()
    for (const [id, ticket] of this.#underWay) {
      if (open.has(id)) continue
      this.#underWay.delete(id)
      const row = ticket.category
      const known = isBeginning || row === undefined ? 0 : (noticed.get(row) ?? 0)
      const isCounted = row !== undefined && (counted[row] ?? 0) > known
      if (isCounted) this.#answered(ticket, {})
      else ledger.notSent(ticket, nowMs)
    }
    for (const [row, total] of Object.entries(counted)) {
      const missed = isBeginning ? 0 : total - (noticed.get(row) ?? 0)
      if (missed <= 0) continue
      ledger.missedByDesk(row, missed, { sinceMs: this.#totalsAtMs, nowMs })
      for (let one = 0; one < missed; one += 1) headers.counted(row)
    }
    this.#noticed = new Map(Object.entries(counted))
    this.#totalsAtMs = Math.min(nowMs, fromMs)
  }

  /** Handles a member that no longer responds. The service may have counted its requests in flight. */
  ended(): void {
    const { ledger, now } = this.#deps
    for (const [id, ticket] of this.#underWay) {
      ledger.lost(ticket, now())
      this.#notice(ticket.category)
      if (ticket.category !== undefined) this.#lost.set(id, ticket.category)
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
    // A 429 because of the request rate uses no quota (service 3).
    if (!isRejected) this.#notice(answer.row ?? row)
    if (isHeader)
      headers.seen(row, { from: this.#id, rate, sentAtMs: ticket.sentAtMs, atMs: ticket.headerAtMs ?? now() })
  }

  /** Records that the service counted a request of the member. */
  #notice(row: string | undefined): void {
    if (row === undefined) return
    this.#deps.headers.counted(row)
    this.#noticed.set(row, (this.#noticed.get(row) ?? 0) + 1)
  }

  #take(id: number): Ticket | undefined {
    const ticket = this.#underWay.get(id)
    this.#underWay.delete(id)
    this.#found(id)
    return ticket
  }

  /** Takes back a request that counted as lost: the member responds again, and reports its outcome. */
  #found(id: number): void {
    const row = this.#lost.get(id)
    if (row === undefined) return
    this.#lost.delete(id)
    this.#deps.ledger.foundByDesk(row)
    this.#noticed.set(row, Math.max(0, (this.#noticed.get(row) ?? 0) - 1))
  }
}

type Totals = Pick<MemberReport, 'counted' | 'run' | 'streams' | 'underWay'>
