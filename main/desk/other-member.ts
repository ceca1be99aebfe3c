import type { DeskMember } from '../../app/contract/desk.ts'
import { MemberRecord, type RecordDeps, type SentAt } from '../../app/desk/member-record.ts'
import type { MemberReport } from '../../app/desk/messages.ts'
import type { Clock } from '../ports/ports.ts'

export interface OtherMemberDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** When its last message arrived, monotonic ms; `undefined` while no run of it is believed. */
  readonly heardMs: () => number | undefined
  readonly record: RecordDeps
}

/** Another member of the desk, across its runs. */
export class OtherMember {
  readonly #id: string
  readonly #deps: OtherMemberDeps
  #record: MemberRecord
  #report: MemberReport | undefined
  /** When the last report came, on the monotonic clock. */
  #reportedMs = 0
  #isPresent = false

  constructor(id: string, deps: OtherMemberDeps) {
    this.#id = id
    this.#deps = deps
    this.#record = new MemberRecord(id, deps.record)
  }

  get record(): MemberRecord {
    return this.#record
  }

  /** Whether it reported and was not lost since. */
  get isPresent(): boolean {
    return this.#isPresent
  }

  get name(): string {
    return this.#report?.name ?? this.#id
  }

  /** Whether it revoked the key; `undefined` before its first report. */
  get isRevoked(): boolean | undefined {
    return this.#report && this.#report.revokedAge !== undefined
  }

  /** How long ago a person last looked at it, in ms; `undefined` if unknown. */
  get inputAge(): number | undefined {
    const age = this.#report?.inputAge
    return age === undefined ? undefined : age + this.#sinceReportMs
  }

  /** A new run begins, which counts from zero. */
  began(): void {
    this.#record = new MemberRecord(this.#id, this.#deps.record)
  }

  reported(report: MemberReport, sentAt: SentAt): void {
    this.#report = report
    this.#reportedMs = this.#deps.clock.monotonicMs()
    this.#isPresent = true
    this.#record.totals(report, sentAt)
  }

  /** It does not respond any more. */
  lost(): void {
    this.#isPresent = false
    this.#record.ended()
  }

  /** Its run ended because it started again. It stays present. */
  replaced(): void {
    this.#record.ended()
  }

  forgotten(): void {
    this.lost()
  }

  /** `undefined` before its first report. */
  summary(): DeskMember | undefined {
    if (this.#report === undefined) return undefined
    const { name, rates, counted, programs } = this.#report
    const heardMs = this.#deps.heardMs() ?? this.#reportedMs
    return {
      id: this.#id,
      name,
      self: false,
      present: this.#isPresent,
      lastSeenMs: Math.round(Math.max(0, this.#deps.clock.monotonicMs() - heardMs)),
      perSecond: this.#isPresent ? sumOf(rates) : 0,
      total: sumOf(counted),
      counted,
      programs: this.#isPresent ? programs : [],
    }
  }

  get #sinceReportMs(): number {
    return Math.max(0, this.#deps.clock.monotonicMs() - this.#reportedMs)
  }
}

/** The sum of a number for each row. */
export const sumOf = (rows: Readonly<Record<string, number>>): number =>
  Object.values(rows).reduce((sum, one) => sum + one, 0)
