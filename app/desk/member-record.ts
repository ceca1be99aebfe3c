import type { Ticket } from '../quota/ledger.ts'
import type { MeteredLedger } from '../quota/metered-ledger.ts'
import type { ConcurrencyReading } from '../service/headers.ts'
import type { MemberPicture, MemberReport, RequestStep, SilentRun } from './messages.ts'
import { ageOf, type DeskAnswer, isCounted } from './own-record.ts'
import type { RowHeaders } from './row-headers.ts'

/** The earliest and latest possible sending time of a message, epoch ms on this machine's clock. */
export interface SentAt {
  readonly fromMs: number
  readonly toMs: number
}

/** The parts of this machine's state that a member's observations update. */
export interface RecordDeps {
  readonly ledger: Pick<
    MeteredLedger,
    'apartSinceMs' | 'sentByDesk' | 'notSent' | 'lost' | 'missedByDesk' | 'foundByDesk'
  >
  readonly headers: RowHeaders
  readonly now: () => number
  /** When this machine joined the desk, epoch ms. */
  readonly sinceMs: number
  /** Applies a response. Returns the row that counted the request. */
  readonly answered: (ticket: Ticket, answer: Partial<DeskAnswer>) => string | undefined
  readonly checked: (category: string) => void
  /** Called when the member's streams changed. `reading`: a header's numbers for the slots of `category`. */
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
  /**
   * When the member joined the desk (epoch ms), and how many of its requests were counted before, by row. For
   * an app that started as a member, the time is the app's start. `undefined` until a `picture` message
   * states both.
   */
  #run: { readonly beganAtMs: number; readonly counted: Readonly<Record<string, number>> } | undefined
  /** By request id: the row of each request that counted as lost when the member stopped responding. */
  readonly #lost = new Map<number, string>()
  #streams: Readonly<Record<string, number>> = {}
  /** Earliest time at which the member may have sent its last totals, epoch ms. */
  #totalsAtMs = 0

  constructor(id: string, deps: RecordDeps) {
    this.#id = id
    this.#deps = deps
  }

  /**
   * The member's counted requests since its app started, by row. `undefined` before the first `picture`
   * message.
   */
  get counted(): Readonly<Record<string, number>> | undefined {
    return this.#run ? Object.fromEntries(this.#noticed) : undefined
  }

  /** The member's streams by category. */
  get streams(): Readonly<Record<string, number>> {
    return this.#streams
  }

  observed(list: readonly RequestStep[], sentAt: SentAt): void {
    for (const one of list) this.#observed(one, sentAt)
  }

  /**
   * Sets the counts to those in the member's `picture` message. The first such message decides which of the
   * member's earlier requests are charged.
   */
  pictured(picture: Pictured, sentAt: SentAt): void {
    if (this.#run === undefined) this.#began(picture, sentAt)
    this.totals(picture, sentAt)
  }

  /**
   * Sets the counts to the member's totals, and charges the requests that this record missed. Before the
   * first `picture` message, only the streams are updated, because it is unknown which requests were missed.
   */
  totals({ counted, streams, underWay }: Totals, { fromMs }: SentAt): void {
    const { ledger, now } = this.#deps
    const nowMs = now()
    this.#streams = streams
    this.#deps.slots(undefined)
    if (this.#run === undefined) return
    const noticed = this.#noticed
    const open = new Set(underWay)
    // Requests that are no longer in flight are already part of `counted`, if the service counted them.
    this.#lost.clear()
    for (const [id, ticket] of this.#underWay) {
      if (open.has(id)) continue
      this.#underWay.delete(id)
      const row = ticket.category
      const isCounted = row !== undefined && (counted[row] ?? 0) > (noticed.get(row) ?? 0)
      if (isCounted) this.#answered(ticket, {})
      else ledger.notSent(ticket, nowMs)
    }
    this.#charge(counted)
    // This record may have counted lost requests that the service did not count. The member's total is then
    // lower, so those requests are subtracted.
    for (const [row, known] of noticed)
      for (let more = known - (counted[row] ?? 0); more > 0; more -= 1) ledger.foundByDesk(row)
    this.#noticed = new Map(Object.entries(counted))
    this.#totalsAtMs = Math.min(nowMs, fromMs)
  }

  /**
   * The totals of this run of the member's app, after it ended or stopped responding. They are sent to
   * members that may have missed its last messages. Requests with an unknown outcome are left out.
   * `undefined` before the first `picture` message.
   */
  passedOn(): Pick<SilentRun, 'counted' | 'run'> | undefined {
    if (this.#run === undefined) return undefined
    const { beganAtMs, counted: before } = this.#run
    const counted = Object.fromEntries(this.#noticed)
    for (const row of this.#lost.values()) counted[row] = Math.max(0, (counted[row] ?? 0) - 1)
    return { counted, run: { age: ageOf(beganAtMs, this.#deps.now()), counted: before } }
  }

  /**
   * Charges requests that this record missed, after this run of the member's app ended or stopped responding.
   * The totals come from another member.
   *
   * Does nothing if the member joined the desk before this machine and no `picture` message of the member
   * arrived. Only that message would show which of its requests must be charged.
   */
  learned(known: Pick<SilentRun, 'counted' | 'run'>, sentAt: SentAt): void {
    if (this.#run === undefined) {
      if (sentAt.fromMs - known.run.age < this.#deps.sinceMs) return
      this.#began({ ...known, recent: {} }, sentAt)
    }
    this.#charge(known.counted)
    for (const [row, total] of Object.entries(known.counted))
      this.#noticed.set(row, Math.max(total, this.#noticed.get(row) ?? 0))
  }

  /**
   * Handles a member that no longer responds. The service may have counted the member's requests in flight.
   */
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

  /**
   * Decides which of the member's earlier requests are charged.
   *
   * If the member joined the desk after this machine, all its requests since it joined are charged, even if
   * this machine learns of the member late. Of the requests before it joined, only those of the last minute
   * are charged. The same applies to all earlier requests of a member that joined before this machine.
   *
   * Requests sent before `apartSinceMs` are never charged. At that time, this machine's app started or last
   * left a desk.
   */
  #began({ counted, run, recent }: Pick<Pictured, 'counted' | 'run' | 'recent'>, { fromMs }: SentAt): void {
    const { ledger, headers, now, sinceMs } = this.#deps
    const nowMs = now()
    const beganAtMs = Math.min(nowMs, fromMs - run.age)
    const isOlder = beganAtMs < sinceMs
    this.#run = { beganAtMs, counted: run.counted }
    this.#totalsAtMs = isOlder ? Math.min(nowMs, fromMs) : beganAtMs
    for (const [row, total] of Object.entries(isOlder ? counted : run.counted)) {
      const observed = this.#noticed.get(row) ?? 0
      const early = (recent[row] ?? [])
        .map((age) => Math.min(nowMs, fromMs - age))
        .filter((atMs) => atMs >= ledger.apartSinceMs && (isOlder || atMs < beganAtMs))
        .sort((a, b) => a - b)
      // If the member joined first, this record already has the last `observed` requests of `early`.
      const missed = isOlder ? early.slice(0, Math.max(0, early.length - observed)) : early
      for (const atMs of missed) {
        ledger.missedByDesk(row, 1, { sinceMs: atMs, nowMs })
        if (atMs >= (headers.of(row)?.sentAtMs ?? 0)) headers.counted(row)
      }
      this.#noticed.set(row, isOlder ? total : total + observed)
    }
  }

  /** Charges the requests in `counted` that this record does not know. */
  #charge(counted: Readonly<Record<string, number>>): void {
    const { ledger, headers, now } = this.#deps
    for (const [row, total] of Object.entries(counted)) {
      const missed = total - (this.#noticed.get(row) ?? 0)
      if (missed <= 0) continue
      ledger.missedByDesk(row, missed, { sinceMs: this.#totalsAtMs, nowMs: now() })
      for (let one = 0; one < missed; one += 1) headers.counted(row)
    }
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
      checked(one.category)
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

  #answered(ticket: Ticket, answer: Partial<DeskAnswer>): void {
    const { headers, answered, now } = this.#deps
    const row = answered(ticket, answer)
    const { rate } = answer
    const isHeader = row !== undefined && rate?.remaining !== undefined
    if (isCounted(answer)) this.#notice(answer.row ?? row)
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

type Totals = Pick<MemberReport, 'counted' | 'streams' | 'underWay'>
type Pictured = Omit<MemberPicture, 'kind' | 'rows' | 'silent'>
