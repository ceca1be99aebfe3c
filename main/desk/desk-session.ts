import type { DeskRefusalCode, DeskSummary } from '../../app/contract/desk.ts'
import type { KeyReport } from '../../app/contract/events.ts'
import type { SentAt } from '../../app/desk/member-record.ts'
import { DESK_PROTOCOL, type DeskMessage, type MemberReport } from '../../app/desk/messages.ts'
import { OwnRecord } from '../../app/desk/own-record.ts'
import type { MomentRange } from '../../app/desk/peer-clock.ts'
import { adoptRows, pictureRows } from '../../app/desk/picture.ts'
import { RowHeaders } from '../../app/desk/row-headers.ts'
import type { Ticket } from '../../app/quota/ledger.ts'
import type { MeteredLedger } from '../../app/quota/metered-ledger.ts'
import type { ConcurrencyReading } from '../../app/service/headers.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'
import type { Prober } from '../api/prober.ts'
import type { QuotaTap } from '../api/quota-tap.ts'
import type { DeskAnswer, SessionDesk } from '../api/session-desk.ts'
import type { Clock, Random, RandomBytes } from '../ports/ports.ts'
import type { Timeline } from '../ports/timeline.ts'
import { deskSummaryOf } from './desk-summary.ts'
import { DeskTrouble, type DeskTroubleDeps, LOST_AFTER_MS } from './desk-trouble.ts'
import type { Engine } from './engine.ts'
import { DeskLink } from './link.ts'
import { OtherMember } from './other-member.ts'
import { OtherMembers } from './other-members.ts'
import { OwnRun, ownReport, type Reporting } from './own-report.ts'

export interface DeskSessionDeps extends Reporting, DeskTroubleDeps {
  readonly membership: {
    readonly secret: string
    readonly memberId: string
    readonly name: string
    readonly marks: { readonly user?: string }
  }
  readonly engine: Engine
  readonly clock: Clock
  readonly timeline: Pick<Timeline, 'now'>
  /** Whether the app was already a member of the desk when it started. */
  readonly isFromStart: boolean
  readonly random: Random
  readonly randomBytes: RandomBytes
  readonly ledger: MeteredLedger
  readonly slots: SlotLedger
  readonly tap: Pick<QuotaTap, 'answeredByDesk'>
  readonly prober: Pick<Prober, 'count'>
  /** When a person last looked at this Headroom, epoch ms; `undefined` if unknown. */
  readonly lookedAtMs: () => number | undefined
  /** When the key was revoked, epoch ms. `undefined` if it was not revoked. */
  readonly revokedAtMs: () => number | undefined
  /** Called when another member revoked the key. */
  readonly revoked: () => void
  readonly report: (report: KeyReport) => void
  readonly changed: () => void
}

/** How long observations are collected before they are sent, in milliseconds. */
const BATCH_MS = 20
/**
 * How long a header waits before it is applied, in milliseconds. The header may include requests of other
 * members. Their reports arrive later than the header, because members send in batches, and because of the
 * transit.
 */
const JUDGE_AFTER_MS = 60
const REPORT_MS = 1_000
const MAX_OBSERVATIONS = 500
/**
 * This machine's part in the desk of one key.
 *
 * It sends its own requests, headers, streams and checks to the other members, and applies what they send to
 * the ledger. It also sends a report with totals each second. The totals correct for lost messages.
 */
export class DeskSession implements SessionDesk {
  readonly #deps: DeskSessionDeps
  readonly #link: DeskLink
  readonly #own = new OwnRecord()
  readonly #headers = new RowHeaders()
  readonly #members: OtherMembers
  readonly #run: OwnRun
  readonly #ends: (() => void)[] = []
  #cancelFlush: (() => void) | undefined
  #cancelReport: () => void = () => {}
  #dropped = 0
  readonly #trouble: DeskTrouble
  #revokedBy: string | undefined

  constructor(deps: DeskSessionDeps) {
    this.#deps = deps
    this.#trouble = new DeskTrouble(deps)
    this.#run = new OwnRun(deps, this.#now)
    this.#members = new OtherMembers(deps.membership.memberId, (id) => this.#created(id))
    const { engine, membership, clock, random, randomBytes } = deps
    this.#link = new DeskLink(
      { engine, membership, clock, random, randomBytes },
      {
        message: (from, message, sentAt) => this.#message(from, message, sentAt),
        began: (id, run) => this.#members.began(id, run),
        ended: (id, why) => this.#ended(id, why),
        pictureWanted: (by) => void this.#link.send(by, this.#picture()),
        otherProtocol: (_, { name, protocol }) =>
          this.#trouble.mismatched({
            code: protocol > DESK_PROTOCOL ? 'update-here' : 'update-there',
            machine: name,
          }),
        dropped: () => this.#drop(),
      },
    )
    this.#ends.push(
      engine.onChange(() => {
        this.#trouble.tell()
        deps.changed()
      }),
    )
  }

  start(): void {
    this.#tick()
  }

  /** Says goodbye to the other members and ends this session. Closes the engine too. */
  async leave(): Promise<void> {
    this.#flush()
    this.#link.leave()
    await this.close()
  }

  /** Tells the other members that the secret was replaced. */
  rotated(): void {
    this.#link.broadcast({ kind: 'rotated' })
  }

  /**
   * Ends this session without notifying the other members. They will consider this machine lost, which does
   * no harm.
   */
  async close(): Promise<void> {
    this.#cancelReport()
    this.#cancelFlush?.()
    for (const end of this.#ends) end()
    for (const [, member] of this.#members.all()) member.forgotten()
    this.#deps.ledger.leftDesk(this.#now)
    this.#link.close()
    await this.#deps.engine.close()
  }

  /**
   * Stops sending and applying anything. `machine`: the member that caused the refusal. See
   * `DeskRefusalCode`.
   */
  refuse(code: DeskRefusalCode, machine?: string): void {
    if (this.#trouble.isRefused) return
    this.#cancelReport()
    for (const [, member] of this.#members.all()) member.lost()
    this.#trouble.refuse({ code, ...(machine !== undefined && { machine }) })
  }

  get judgeAfterMs(): number {
    return this.#members.isAnyPresent ? JUDGE_AFTER_MS : 0
  }

  /** The machine that revoked the key. `undefined` if no other member revoked it. */
  get revokedBy(): string | undefined {
    return this.#revokedBy
  }

  /** Whether this machine announces the desk's alerts. */
  get announces(): boolean {
    return this.#members.announcer(this.#inputAge) === this.#self
  }

  yieldMs(category: string): number {
    return this.#headers.yieldMs(category, this.#self, this.#members.presentIds)
  }

  sent(ticket: Ticket): void {
    this.#own.sent(ticket)
    this.#flushSoon()
  }

  answered(ticket: Ticket, answer: DeskAnswer): void {
    const nowMs = this.#now
    this.#own.answered(ticket, answer, nowMs)
    this.#flushSoon()
    const { row, rate, waitMs } = answer
    if (row === undefined) return
    if (waitMs === undefined || rate === undefined) this.#headers.counted(row)
    if (rate?.remaining !== undefined)
      this.#headers.seen(row, {
        from: this.#self,
        rate,
        sentAtMs: ticket.sentAtMs,
        atMs: ticket.headerAtMs ?? nowMs,
      })
  }

  lost(ticket: Ticket, laterMs: number): void {
    this.#own.lost(ticket, laterMs)
    if (ticket.category !== undefined) this.#headers.counted(ticket.category)
    this.#flushSoon()
  }

  notSent(ticket: Ticket): void {
    this.#own.notSent(ticket)
    this.#flushSoon()
  }

  checked(category: string): void {
    this.#own.checked(category, this.#now)
    this.#flushSoon()
  }

  slots(category: string, reading?: ConcurrencyReading): void {
    this.#own.slots(category, this.#deps.slots.ownCounts()[category] ?? 0, reading)
    this.#flushSoon()
  }

  summary(): DeskSummary {
    const [trouble, members] = [this.#trouble, this.#members]
    const parts = { ...this.#deps, trouble, members, inputAge: this.#inputAge, dropped: this.#dropped }
    return deskSummaryOf(parts, this.#now)
  }

  get #self(): string {
    return this.#deps.membership.memberId
  }

  get #now(): number {
    return this.#deps.timeline.now()
  }

  get #inputAge(): number | undefined {
    const lookedAtMs = this.#deps.lookedAtMs()
    return lookedAtMs === undefined ? undefined : Math.max(0, this.#now - lookedAtMs)
  }

  #flushSoon(): void {
    this.#cancelFlush ??= this.#deps.clock.after(BATCH_MS, () => this.#flush())
  }

  #flush(): void {
    this.#cancelFlush?.()
    this.#cancelFlush = undefined
    for (;;) {
      const list = this.#own.take(this.#now, MAX_OBSERVATIONS)
      if (list.length === 0) return
      if (!this.#trouble.isRefused) this.#link.broadcast({ kind: 'observations', list })
    }
  }

  #tick(): void {
    this.#look()
    this.#trouble.tell()
    this.#flush()
    this.#link.broadcast(this.#report())
    this.#cancelReport = this.#deps.clock.after(REPORT_MS, () => this.#tick())
  }

  /** Finds members that don't respond any more. */
  #look(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    for (const [id, member] of this.#members.all()) {
      const heardMs = this.#link.lastHeardMs(id)
      if (heardMs === undefined || nowMs - heardMs < LOST_AFTER_MS || !member.isPresent) continue
      member.lost()
      // If the server is unreachable, all members are lost. One event reports the outage, so the members are
      // not reported one by one.
      if (this.#deps.engine.state.reachable) this.#tell('desk-member-lost', member)
      this.#deps.changed()
    }
  }

  #totals() {
    return this.#run.totals(this.#own.underWay)
  }

  #report(): MemberReport {
    const { revokedAtMs } = this.#deps
    const atMs = revokedAtMs()
    if (atMs === undefined) this.#revokedBy = undefined
    return ownReport(this.#deps, {
      nowMs: this.#now,
      totals: this.#totals(),
      inputAge: this.#inputAge,
      revokedAtMs: this.#revokedBy === undefined ? atMs : undefined,
    })
  }

  #picture(): DeskMessage {
    this.#flush()
    const rows = pictureRows(this.#headers, this.#deps.ledger, this.#now)
    const silent = [...this.#members.silent]
    return { kind: 'picture', ...this.#totals(), ...this.#run.beginning(this.#now), rows, silent }
  }

  #message(from: string, message: DeskMessage, sent: MomentRange): void {
    if (this.#trouble.isRefused) return
    const member = this.#members.of(from)
    const offsetMs = this.#now - this.#deps.clock.monotonicMs()
    const sentAt = { fromMs: sent.fromMs + offsetMs, toMs: sent.toMs + offsetMs }
    if (message.kind === 'observations') member.record.observed(message.list, sentAt)
    else if (message.kind === 'report') this.#reported(member, message, sentAt)
    else if (message.kind === 'picture') {
      member.record.pictured(message, sentAt)
      this.#members.learned(message.silent, sentAt)
      const { ledger } = this.#deps
      adoptRows(message.rows, sentAt, { ledger, headers: this.#headers, from, nowMs: this.#now })
    } else this.refuse('rotated', member.name === from ? undefined : member.name)
    // A report arrives each second from each member. Snapshots are made that often anyway.
    if (message.kind !== 'report') this.#deps.changed()
  }

  #reported(member: OtherMember, report: MemberReport, sentAt: SentAt): void {
    const { marks } = this.#deps.membership
    if (marks.user !== undefined && report.user !== undefined && marks.user !== report.user) {
      this.refuse('other-user', report.name)
      return
    }
    const wasPresent = member.isPresent
    const wasRevoked = member.isRevoked
    member.reported(report, sentAt)
    if (!wasPresent) {
      this.#tell('desk-member-joined', member)
      this.#deps.changed()
    }
    if (member.isRevoked && wasRevoked === false) {
      this.#revokedBy = report.name
      this.#deps.revoked()
    }
    const { snoozeAge, snoozeMs } = report
    if (snoozeAge === undefined) return
    const { toMs } = sentAt
    this.#snoozed(toMs - snoozeAge, snoozeMs > 0 ? toMs + snoozeMs : undefined)
  }

  /** Adopts another member's snooze if it was chosen after this machine's snooze. */
  #snoozed(chosenAtMs: number, untilMs: number | undefined): void {
    const { snooze } = this.#deps
    const own = snooze.read()
    // The time of another member's choice is exact only up to the transit of its report. A difference up to
    // `REPORT_MS` is therefore ignored.
    if (chosenAtMs <= (own.chosenAtMs ?? Number.NEGATIVE_INFINITY) + REPORT_MS) return
    snooze.adopt(untilMs, chosenAtMs)
  }

  #created(id: string): OtherMember {
    const { ledger, slots, tap, prober, clock } = this.#deps
    const member: OtherMember = new OtherMember(id, {
      clock,
      heardMs: () => this.#link.lastHeardMs(id),
      record: {
        ledger,
        headers: this.#headers,
        now: () => this.#now,
        sinceMs: this.#run.sinceMs,
        answered: (_, ticket, answer) => tap.answeredByDesk(ticket, answer, member.name),
        checked: (category) => prober.count(category),
        slots: (category, reading) => {
          slots.setDesk(this.#members.streams())
          if (category !== undefined && reading) slots.observedByDesk(category, reading, 0, this.#now)
        },
      },
    })
    return member
  }

  #ended(id: string, why: 'left' | 'replaced'): void {
    const member = this.#members.known(id)
    if (member === undefined) return
    this.#members.ended(id)
    if (why === 'replaced') {
      member.replaced()
      return
    }
    const wasPresent = member.isPresent
    member.forgotten()
    this.#members.forget(id)
    if (wasPresent) this.#tell('desk-member-left', member)
    this.#deps.changed()
  }

  #tell(kind: 'desk-member-joined' | 'desk-member-left' | 'desk-member-lost', { name }: OtherMember): void {
    this.#deps.report({ kind, name })
  }

  #drop(): void {
    this.#dropped += 1
    this.#deps.changed()
  }
}
