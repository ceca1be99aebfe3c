import type { DeskMember, DeskProgram } from '../../app/contract/desk.ts'
import { reserveOf } from '../../app/contract/programs.ts'
import { MemberRecord, type RecordDeps, type SentAt } from '../../app/desk/member-record.ts'
import {
  MAX_SILENT,
  type MemberReport,
  type ReportedProgram,
  type ReportMessage,
  type SilentRun,
} from '../../app/desk/messages.ts'
import type { Clock } from '../ports/ports.ts'

/** Totals of one run, as another member of the desk knows them. */
type KnownRun = Pick<SilentRun, 'counted' | 'run'>

export interface OtherMemberDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** When the member's last message arrived, monotonic ms. `undefined` while the member is not connected. */
  readonly heardMs: () => number | undefined
  readonly record: RecordDeps
}

/** Another member of the desk. It stays the same object if the member's app is restarted. */
export class OtherMember {
  readonly #id: string
  readonly #deps: OtherMemberDeps
  #record: MemberRecord
  #run: string | undefined
  #report: MemberReport | undefined
  /** Whether the last report came from the current run of the member's app. */
  #isReported = false
  #programs: readonly DeskProgram[] = []
  /** When the last report arrived, on the monotonic clock. */
  #reportedMs = 0
  #isPresent = false
  #isSilent = false
  /** Totals of the current run, sent by other members. Not used before the run ends or goes silent. */
  #told: readonly { readonly known: KnownRun; readonly sentAt: SentAt }[] = []

  constructor(id: string, deps: OtherMemberDeps) {
    this.#id = id
    this.#deps = deps
    this.#record = new MemberRecord(id, deps.record)
  }

  /** The random name of the current run of the member's app. `undefined` before the first run is known. */
  get run(): string | undefined {
    return this.#run
  }

  get record(): MemberRecord {
    return this.#record
  }

  /** Whether the member has reported, and has not been lost since. */
  get isPresent(): boolean {
    return this.#isPresent
  }

  /** Whether the current run of the member's app has ended or no longer responds. */
  get isSilent(): boolean {
    return this.#isSilent
  }

  /** Whether a run of the member's app has begun, and has not gone silent since. */
  get isResponding(): boolean {
    return this.#run !== undefined && !this.#isSilent
  }

  get name(): string {
    return this.#report?.name ?? this.#id
  }

  /** Whether the member revoked the key. `undefined` before its first report. */
  get isRevoked(): boolean | undefined {
    return this.#report && this.#report.revokedAge !== undefined
  }

  /** Share of each quota that the member's checks may use. `undefined` if it checks nothing by itself. */
  get checkBudget(): number | undefined {
    return this.#report?.checkBudget
  }

  /** Requests that the member reserves for more urgent classes. `undefined`: the default. */
  reserveOf(category: string): number | undefined {
    return reserveOf(this.#report?.reserves, category)
  }

  /** Milliseconds since a person last looked at Headroom on that machine. `undefined` if unknown. */
  get inputAge(): number | undefined {
    const age = this.#report?.inputAge
    return age === undefined ? undefined : age + this.#sinceReportMs
  }

  /**
   * Called when a new run of the member's app begins. `known`: the record of this run, if there is one
   * already.
   */
  began(run: string, known?: MemberRecord): void {
    this.#run = run
    this.#isReported = false
    this.#isSilent = false
    this.#told = []
    this.#record = known ?? new MemberRecord(this.#id, this.#deps.record)
  }

  /** Called for each message of the current run. A silent run responds again from then on. */
  heard(): void {
    this.#isSilent = false
  }

  /**
   * Handles totals of the current run that another member sent. They are used only once the run is silent.
   * Until then, the run's own messages might still arrive, and the same requests would count twice.
   */
  learned(known: KnownRun, sentAt: SentAt): void {
    if (this.#isSilent) this.#record.learned(known, sentAt)
    else this.#told = [...this.#told, { known, sentAt }].slice(-MAX_SILENT)
  }

  reported(report: ReportMessage, sentAt: SentAt): void {
    if (report.kind === 'report') {
      this.#report = report
      this.#isReported = true
      this.#programs = report.programs.map((program) => shown(program, sentAt.toMs))
      this.#reportedMs = this.#deps.clock.monotonicMs()
    } else if (!this.#isReported || this.#report?.number !== report.report) return
    this.#isPresent = true
    this.#record.totals(this.#report, sentAt)
  }

  /** Called when the member no longer responds. */
  lost(): void {
    this.#isPresent = false
    this.#isSilent = true
    this.runEnded()
  }

  /** Called when the current run of the member's app has ended, or no longer responds. */
  runEnded(): void {
    this.#record.ended()
    for (const { known, sentAt } of this.#told) this.#record.learned(known, sentAt)
    this.#told = []
  }

  /** `undefined` before the member's first report. */
  summary(): DeskMember | undefined {
    if (this.#report === undefined) return undefined
    const { name, rates } = this.#report
    // The record also includes requests since the last report. This matters if the member was killed, because
    // then no further report arrives.
    const counted = this.#record.counted ?? this.#report.counted
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
      programs: this.#isPresent ? this.#programs : [],
    }
  }

  get #sinceReportMs(): number {
    return Math.max(0, this.#deps.clock.monotonicMs() - this.#reportedMs)
  }
}

/** A reported program as it is shown. `sentMs`: when the report was sent, epoch ms. */
const shown = ({ use, ...program }: ReportedProgram, sentMs: number): DeskProgram => ({
  ...program,
  use: use.map(({ turnInMs, ...one }) => ({
    ...one,
    ...(turnInMs !== undefined && { nextTurnAt: Math.round(sentMs + turnInMs) }),
  })),
})

/** The sum of the numbers of all rows. */
export const sumOf = (rows: Readonly<Record<string, number>>): number =>
  Object.values(rows).reduce((sum, one) => sum + one, 0)
