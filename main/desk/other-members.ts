import { keepNewest } from '../../app/contract/newest.ts'
import { announcerOf } from '../../app/desk/announcer.ts'
import type { MemberRecord, SentAt } from '../../app/desk/member-record.ts'
import { MAX_SILENT, type SilentRun } from '../../app/desk/messages.ts'
import { MAX_MEMBERS } from '../../app/desk/queue-messages.ts'
import { LOST_AFTER_MS } from './desk-trouble.ts'
import type { OtherMember } from './other-member.ts'
import { REPORT_MS } from './own-report.ts'

/**
 * If this much time has passed since the last call of `loseSilent`, this machine was suspended or too busy to
 * read messages. Milliseconds.
 */
const LATE_MS = 2 * REPORT_MS

/** All other members of a desk, as far as this machine knows them. */
export class OtherMembers {
  readonly #self: string
  readonly #create: (id: string) => OtherMember
  readonly #members = new Map<string, OtherMember>()
  /** Records of ended runs, by the random name of the run. The newest is last. */
  readonly #ended = new Map<string, { readonly member: string; readonly record: MemberRecord }>()
  #hasNews = false
  /** When `loseSilent` was called last, monotonic ms. */
  #lookedMs = Number.NEGATIVE_INFINITY

  /** `self`: this member's id. `create` is called for a member that is not known yet. */
  constructor(self: string, create: (id: string) => OtherMember) {
    this.#self = self
    this.#create = create
  }

  /** The member with this id. Creates it if it is not known yet. */
  of(id: string): OtherMember {
    const known = this.#members.get(id)
    if (known !== undefined) return known
    const member = this.#create(id)
    this.#members.set(id, member)
    this.#forgetOldest()
    return member
  }

  /** The name of a member's machine. `undefined` before its first report. */
  nameOf(id: string): string | undefined {
    const name = this.#members.get(id)?.name
    return name === id ? undefined : name
  }

  known(id: string): OtherMember | undefined {
    return this.#members.get(id)
  }

  all(): readonly (readonly [id: string, member: OtherMember])[] {
    return [...this.#members]
  }

  /** Called when a new run of a member's app begins. */
  began(id: string, run: string): void {
    const known = this.#ended.get(run)?.record
    this.#ended.delete(run)
    this.of(id).began(run, known)
  }

  /** Called when the current run of a member's app has ended. Its record is kept. */
  ended(id: string): void {
    const { run, record } = this.#members.get(id) ?? {}
    this.#hasNews = true
    if (run !== undefined && record !== undefined) this.#keep(run, { member: id, record })
  }

  /**
   * The totals of each run that has ended or does not respond. Other members need them if they missed the
   * run's last requests.
   */
  get silent(): readonly SilentRun[] {
    const lost = this.all().flatMap(([member, { run, record, isSilent }]) =>
      isSilent && run !== undefined ? [[run, { member, record }] as const] : [],
    )
    return [...lost, ...[...this.#ended].reverse()]
      .flatMap(([name, { member, record }]) => {
        const known = record.passedOn()
        return known ? [{ member, name, ...known }] : []
      })
      .slice(0, MAX_SILENT)
  }

  /**
   * Whether a run has ended or gone silent since the last call. If so, `silent` must be sent, because other
   * members might know less about the run, for example after they were cut off.
   */
  takeNews(): boolean {
    const hasNews = this.#hasNews
    this.#hasNews = false
    return hasNews
  }

  /** Adopts another member's totals of runs that have ended or do not respond. */
  learned(runs: readonly SilentRun[], sentAt: SentAt): void {
    for (const { member, name, ...totals } of runs) {
      if (member === this.#self) continue
      const known = this.#members.get(member)
      const ended = this.#ended.get(name)?.record
      if (known?.run === name) known.learned(totals, sentAt)
      else if (ended !== undefined) ended.learned(totals, sentAt)
      else {
        const { record: unknown } = this.#create(member)
        unknown.learned(totals, sentAt)
        if (unknown.counted !== undefined) this.#keep(name, { member, record: unknown })
      }
    }
  }

  #keep(run: string, ended: { readonly member: string; readonly record: MemberRecord }): void {
    this.#ended.set(run, ended)
    keepNewest(this.#ended, MAX_SILENT)
  }

  forget(id: string): void {
    this.#members.delete(id)
  }

  /**
   * Marks members that have been silent for `LOST_AFTER_MS` as lost. Returns those that were present.
   * `heardMs`: when a member's last message arrived. Monotonic milliseconds.
   *
   * Call this every `REPORT_MS`. After a longer gap, a call marks no member as lost, because arrived messages
   * might not have been read yet.
   */
  loseSilent(nowMs: number, heardMs: (id: string) => number | undefined): readonly OtherMember[] {
    const isLate = nowMs - this.#lookedMs >= LATE_MS
    this.#lookedMs = nowMs
    if (isLate) return []
    const lost = this.all().flatMap(([id, member]) =>
      member.isResponding && nowMs - (heardMs(id) ?? nowMs) >= LOST_AFTER_MS ? [member] : [],
    )
    if (lost.length > 0) this.#hasNews = true
    const present = lost.filter(({ isPresent }) => isPresent)
    for (const member of lost) member.lost()
    return present
  }

  /** The smallest check budget of the members that respond. `undefined` if none of them checks. */
  get checkBudget(): number | undefined {
    const budgets = this.#present.flatMap(([, { checkBudget }]) => checkBudget ?? [])
    return budgets.length === 0 ? undefined : Math.min(...budgets)
  }

  /** The reserve of each member that responds. `undefined`: the default. */
  reservesOf(category: string): readonly (number | undefined)[] {
    return this.#present.map(([, member]) => member.reserveOf(category))
  }

  get isAnyPresent(): boolean {
    for (const member of this.#members.values()) if (member.isPresent) return true
    return false
  }

  /** The ids of the members that respond, including this one. */
  get presentIds(): readonly string[] {
    return [this.#self, ...this.#present.map(([id]) => id)]
  }

  /**
   * The id of the member that announces alerts, see `announcerOf`. `inputAge`: milliseconds since a person
   * last looked at this Headroom.
   */
  announcer(inputAge: number | undefined): string | undefined {
    const others = this.#present.map(([id, member]) => ({ id, inputAge: member.inputAge }))
    return announcerOf([{ id: this.#self, inputAge }, ...others])
  }

  /** Total number of the other members' streams, by category. */
  streams(): ReadonlyMap<string, number> {
    const streams = new Map<string, number>()
    for (const { record } of this.#members.values())
      for (const [category, own] of Object.entries(record.streams))
        streams.set(category, (streams.get(category) ?? 0) + own)
    return streams
  }

  get #present() {
    return this.all().filter(([, { isPresent }]) => isPresent)
  }

  /** Forgets members that are no longer present, if more than `MAX_MEMBERS` are remembered. */
  #forgetOldest(): void {
    for (const [id, { isPresent }] of this.#members) {
      if (this.#members.size <= MAX_MEMBERS) return
      if (!isPresent) this.#members.delete(id)
    }
  }
}
