import type { DeskRefusalCode, DeskSummary } from '../../app/contract/desk.ts'
import type { SentAt } from '../../app/desk/member-record.ts'
import { DESK_PROTOCOL, type DeskMessage, type ReportMessage } from '../../app/desk/messages.ts'
import { type DeskAnswer, isCounted, OwnRecord } from '../../app/desk/own-record.ts'
import type { MomentRange } from '../../app/desk/peer-clock.ts'
import { adoptRows, pictureRows, RowHeaders } from '../../app/desk/row-headers.ts'
import type { JoinQueue } from '../../app/gateway/turns.ts'
import type { Ticket } from '../../app/quota/ledger.ts'
import type { MeteredLedger } from '../../app/quota/metered-ledger.ts'
import type { ConcurrencyReading } from '../../app/service/headers.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'
import type { Prober } from '../api/prober.ts'
import type { QuotaTap } from '../api/quota-tap.ts'
import type { SessionDesk } from '../api/session-desk.ts'
import type { Timeline } from '../ports/timeline.ts'
import { ownMember, shownDesk } from './desk-summary.ts'
import { DeskTrouble, type DeskTroubleDeps } from './desk-trouble.ts'
import { DeskLink, type LinkDeps } from './link.ts'
import { isOtherUser } from './marks.ts'
import { OtherMember } from './other-member.ts'
import { OtherMembers } from './other-members.ts'
import { adoptSnooze, OwnReports, OwnRun, REPORT_MS, type Reporting } from './own-report.ts'
import { SessionQueue } from './session-queue.ts'
import { StepBatches } from './step-batches.ts'

export type DeskSessionDeps = LinkDeps &
  Reporting &
  Omit<DeskTroubleDeps, 'queue'> & {
    readonly timeline: Pick<Timeline, 'now'>
    /** See `DeskRunParts`. */
    readonly isFromStart: boolean
    readonly ledger: MeteredLedger
    readonly slots: SlotLedger
    readonly tap: Pick<QuotaTap, 'answeredByDesk'>
    readonly prober: Pick<Prober, 'count' | 'budget'>
    /** When a person last looked at this Headroom, epoch ms; `undefined` if unknown. */
    readonly lookedAtMs: () => number | undefined
    /** When the key was revoked, epoch ms. `undefined` if it was not revoked. */
    readonly revokedAtMs: () => number | undefined
    /** Called when another member revoked the key. */
    readonly revoked: () => void
    /** Called when another machine runs under this machine's member id. */
    readonly copied: () => void
    /** Called when this machine leaves the desk's queue because the desk rejects it. */
    readonly queueEnded: () => void
  }

/**
 * How long a header waits before it is applied, in milliseconds. The header can include other members'
 * requests that this machine does not know yet: members send them in batches, and the transit takes time.
 */
const JUDGE_AFTER_MS = 60
/**
 * This machine's part in the desk of one key.
 *
 * Sends this machine's requests, headers, streams and checks to the other members, and applies those of other
 * members to the ledger. Each second, it also sends a report, whose totals make up for lost messages.
 */
export class DeskSession implements SessionDesk {
  readonly #deps: DeskSessionDeps
  readonly #link: DeskLink
  readonly #own = new OwnRecord()
  readonly #steps: StepBatches
  readonly #headers = new RowHeaders()
  readonly #members: OtherMembers
  readonly #run: OwnRun
  readonly #reports = new OwnReports()
  readonly #unsubscribe: () => void
  #cancelReport: () => void = () => {}
  #dropped = 0
  readonly #trouble: DeskTrouble
  readonly #queue: SessionQueue
  #revokedBy: string | undefined

  readonly partOf = (category: string) => this.#queue.partOf(category)

  constructor(deps: DeskSessionDeps) {
    this.#deps = deps
    this.#trouble = new DeskTrouble({ ...deps, queue: () => this.#queue.summary })
    this.#run = new OwnRun(deps, this.#now)
    this.#steps = new StepBatches({
      record: this.#own,
      clock: deps.clock,
      now: () => this.#now,
      send: (list) => {
        if (!this.#trouble.isRefused) this.#link.broadcast({ kind: 'observations', list })
      },
    })
    this.#members = new OtherMembers(deps.membership.memberId, (id) => this.#created(id))
    this.#link = new DeskLink(deps, {
      message: (from, message, sentAt) => this.#message(from, message, sentAt),
      began: (id, run) => this.#members.began(id, run),
      ended: (id, why) => this.#ended(id, why),
      pictureWanted: (by) => this.#link.send(by, this.#picture()),
      otherProtocol: (_, { name, protocol }) =>
        this.#trouble.mismatched({
          code: protocol > DESK_PROTOCOL ? 'update-here' : 'update-there',
          machine: name,
        }),
      copied: () => deps.copied(),
      dropped: () => {
        this.#dropped += 1
        deps.changed()
      },
    })
    this.#queue = new SessionQueue({
      ...deps,
      link: this.#link,
      isRefused: () => this.#trouble.isRefused,
      nameOf: (id) => (id === this.#self ? deps.membership.name : this.#members.nameOf(id)),
      othersReserves: (bucket) => this.#members.reservesOf(bucket),
      queueChanged: () => this.#queueChanged(),
    })
    this.#unsubscribe = deps.engine.onChange(() => {
      this.#trouble.tell()
      deps.changed()
    })
  }

  start(): void {
    this.#tick()
    this.#queue.desk.start()
  }

  /** Says goodbye to the other members and ends this session. Closes the engine too. */
  async leave(): Promise<void> {
    this.#steps.sendNow()
    await this.#queue.stop()
    this.#link.leave()
    await this.close()
  }

  /** Notifies the other members that the secret was replaced. */
  rotated(): void {
    this.#link.broadcast({ kind: 'rotated' })
  }

  /**
   * Ends this session without notifying the other members. They will consider this machine lost, which does
   * no harm.
   */
  async close(): Promise<void> {
    // First of all: a new run of this machine may already have begun, and must receive nothing from this one.
    this.#link.close()
    await this.#queue.stop()
    this.#cancelReport()
    this.#steps.stop()
    this.#unsubscribe()
    for (const [, member] of this.#members.all()) member.lost()
    this.#deps.ledger.leftDesk(this.#now)
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
    this.#deps.queueEnded()
    void this.#queue.stop()
  }

  get queue(): JoinQueue | undefined {
    return this.#queue.join
  }

  /** See `SessionQueue`. */
  reserveOf(category: string): number | undefined {
    return this.#queue.reserveOf(category)
  }

  get checkBudget(): number | undefined {
    return this.#members.checkBudget
  }

  get judgeAfterMs(): number {
    return this.#members.isAnyPresent ? JUDGE_AFTER_MS : 0
  }

  tryNow(): void {
    this.#deps.engine.tryNow()
  }

  /** The machine that revoked the key. `undefined` if no other member revoked it. */
  get revokedBy(): string | undefined {
    return this.#revokedBy
  }

  yieldMs(category: string): number {
    return this.#headers.yieldMs(category, this.#self, this.#members.presentIds)
  }

  sent(ticket: Ticket): void {
    this.#own.sent(ticket)
    this.#steps.sendSoon()
  }

  answered(ticket: Ticket, answer: DeskAnswer): void {
    const nowMs = this.#now
    this.#own.answered(ticket, answer, nowMs)
    this.#steps.sendSoon()
    const { row, rate } = answer
    if (row === undefined) return
    if (isCounted(answer)) this.#headers.counted(row)
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
    this.#steps.sendSoon()
  }

  notSent(ticket: Ticket): void {
    this.#own.notSent(ticket)
    this.#steps.sendSoon()
  }

  checked(category: string): void {
    this.#own.checked(category)
    this.#steps.sendSoon()
  }

  slots(category: string, reading?: ConcurrencyReading): void {
    this.#own.slots(category, this.#deps.slots.ownCounts()[category] ?? 0, reading)
    this.#steps.sendSoon()
  }

  summary(): DeskSummary {
    const { engine, membership, ledger } = this.#deps
    return shownDesk({
      engine: engine.state,
      trouble: this.#trouble,
      ...this.#queue.view.shown(this.#now),
      self: ownMember(membership, ledger, this.#now),
      others: this.#members.all().flatMap(([, member]) => member.summary() ?? []),
      announces: this.#members.announcer(this.#inputAge),
      dropped: this.#dropped,
    })
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

  #queueChanged(): void {
    this.#queue.view.tell()
    this.#trouble.tell()
  }

  #tick(): void {
    this.#look()
    this.#queueChanged()
    this.#steps.sendNow()
    this.#link.broadcast(this.#report())
    if (this.#members.takeNews()) this.#link.broadcast(this.#picture())
    this.#cancelReport = this.#deps.clock.after(REPORT_MS, () => this.#tick())
  }

  /** Finds members that no longer respond. */
  #look(): void {
    const { clock, engine, changed } = this.#deps
    for (const member of this.#members.loseSilent(clock.monotonicMs(), (id) => this.#link.lastHeardMs(id))) {
      // If the server is unreachable, all members are lost. One event reports the outage, so the members are
      // not reported one by one.
      if (engine.state.reachable) this.#deps.report({ kind: 'desk-member-lost', name: member.name })
      changed()
    }
  }

  #report(): ReportMessage {
    const atMs = this.#deps.revokedAtMs()
    if (atMs === undefined) this.#revokedBy = undefined
    return this.#reports.next(this.#deps, {
      ...{ nowMs: this.#now, inputAge: this.#inputAge },
      totals: this.#run.totals(this.#own.underWay),
      revokedAtMs: this.#revokedBy === undefined ? atMs : undefined,
    })
  }

  #picture(): DeskMessage {
    this.#steps.sendNow()
    // The next report is sent in full, because a member that needs this state might lack the last report.
    this.#reports.forget()
    return {
      kind: 'picture',
      ...this.#run.totals(this.#own.underWay),
      ...this.#run.beginning(this.#now),
      rows: pictureRows(this.#headers, this.#deps.ledger, this.#now),
      silent: [...this.#members.silent],
    }
  }

  #message(from: string, message: DeskMessage, sent: MomentRange): void {
    if (this.#trouble.isRefused) return
    const { clock, ledger } = this.#deps
    const member = this.#members.of(from)
    member.heard()
    const offsetMs = this.#now - clock.monotonicMs()
    const sentAt = { fromMs: sent.fromMs + offsetMs, toMs: sent.toMs + offsetMs }
    switch (message.kind) {
      case 'observations':
        member.record.observed(message.list, sentAt)
        break
      case 'report':
      case 'unchanged':
        // `changed` need not be called for a report, because snapshots are made each second anyway.
        this.#reported(member, message, sentAt)
        return
      case 'picture':
        member.record.pictured(message, sentAt)
        this.#members.learned(message.silent, sentAt)
        adoptRows(message.rows, sentAt, { ledger, headers: this.#headers, from, nowMs: this.#now })
        break
      case 'rotated':
        this.refuse('rotated', this.#members.nameOf(from))
        break
      default:
        this.#queue.desk.message(from, message, sent.toMs)
        return
    }
    this.#deps.changed()
  }

  #reported(member: OtherMember, report: ReportMessage, sentAt: SentAt): void {
    if (report.kind === 'report' && isOtherUser(this.#deps.membership.marks.user, report.user)) {
      this.refuse('other-user', report.name)
      return
    }
    const { isPresent: wasPresent, isRevoked: wasRevoked } = member
    member.reported(report, sentAt)
    if (!wasPresent && member.isPresent) {
      this.#deps.report({ kind: 'desk-member-joined', name: member.name })
      this.#deps.changed()
    }
    if (member.isRevoked && wasRevoked === false) {
      this.#revokedBy = member.name
      this.#deps.revoked()
    }
    adoptSnooze(this.#deps.snooze, report, sentAt.toMs)
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
        answered: (ticket, answer) => tap.answeredByDesk(ticket, answer, member.name),
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
    this.#queue.desk.ended(id, why)
    const member = this.#members.known(id)
    if (member === undefined) return
    this.#members.ended(id)
    if (why === 'replaced') {
      // The member stays present, because its app was restarted.
      member.runEnded()
      return
    }
    const wasPresent = member.isPresent
    member.lost()
    this.#members.forget(id)
    if (wasPresent) this.#deps.report({ kind: 'desk-member-left', name: member.name })
    this.#deps.changed()
  }
}
