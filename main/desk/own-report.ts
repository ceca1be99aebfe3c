import type { ProgramSummary } from '../../app/contract/snapshot.ts'
import {
  MAX_REPORTED_USES,
  type MemberPicture,
  type MemberReport,
  type ReportedProgram,
  type ReportMessage,
} from '../../app/desk/messages.ts'
import { ageOf } from '../../app/desk/own-record.ts'
import type { MeteredLedger } from '../../app/quota/metered-ledger.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'
import type { Prober } from '../api/prober.ts'

/** The snooze of alerts, which the members of a desk share. Times in epoch ms. */
export interface Snooze {
  /**
   * `untilMs`: absent while alerts are not snoozed. `chosenAtMs`: when a person last started or ended the
   * snooze.
   */
  read(): { readonly untilMs?: number | undefined; readonly chosenAtMs?: number | undefined }
  /** Adopts the snooze that a person chose on another member. */
  adopt(untilMs: number | undefined, chosenAtMs: number): void
}

/** A program behind this machine's gateway, as the other members see it. */
export type OwnProgram = Pick<
  ProgramSummary,
  'name' | 'perSecond' | 'class' | 'weight' | 'waiting' | 'longestWaitMs' | 'use'
>

/** The input of `ownReport` that stays the same for all reports. */
export interface Reporting {
  readonly membership: { readonly name: string; readonly marks: { readonly user?: string } }
  readonly ledger: Pick<MeteredLedger, 'ownRates' | 'reserves'>
  readonly prober: Pick<Prober, 'budget'>
  /** The programs behind this machine's gateway. */
  readonly programs: () => readonly OwnProgram[]
  readonly snooze: Snooze
}

interface Totalled {
  readonly ledger: Pick<MeteredLedger, 'startedAtMs' | 'ownCounts' | 'recentOwn'>
  readonly slots: Pick<SlotLedger, 'ownCounts'>
  /** See `DeskRunParts`. */
  readonly isFromStart: boolean
}

/** This machine's run of the desk: when it began, and the totals that this machine reports. */
export class OwnRun {
  /** When the desk began to run, epoch ms. With `isFromStart`, this is when the key's session began. */
  readonly sinceMs: number
  readonly #parts: Totalled
  /** Own requests before `sinceMs`. */
  readonly #before: Readonly<Record<string, number>>

  constructor(parts: Totalled, nowMs: number) {
    const { ledger, isFromStart } = parts
    this.#parts = parts
    this.sinceMs = isFromStart ? ledger.startedAtMs : nowMs
    this.#before = isFromStart ? {} : ledger.ownCounts()
  }

  /** `underWay`: the ids of requests without a response. */
  totals(underWay: readonly number[]): Totals {
    const { ledger, slots } = this.#parts
    return { counted: ledger.ownCounts(), streams: slots.ownCounts(), underWay: [...underWay] }
  }

  /** The part of a `picture` message by which the receiver decides which earlier requests it charges. */
  beginning(nowMs: number): Pick<MemberPicture, 'run' | 'recent'> {
    const recent = Object.entries(this.#parts.ledger.recentOwn(nowMs)).map(
      ([row, sentAtMs]) => [row, sentAtMs.map((atMs) => Math.ceil(ageOf(atMs, nowMs)))] as const,
    )
    return {
      run: { age: ageOf(this.sinceMs, nowMs), counted: this.#before },
      recent: Object.fromEntries(recent),
    }
  }
}

type Totals = Pick<MemberReport, 'counted' | 'streams' | 'underWay'>

interface ReportInput {
  readonly nowMs: number
  readonly totals: Totals
  /** Milliseconds since a person last looked at this Headroom. `undefined` if unknown. */
  readonly inputAge: number | undefined
  /** When this machine revoked the key, epoch ms. `undefined` if this machine did not revoke it. */
  readonly revokedAtMs: number | undefined
}

/** Interval between two reports, in milliseconds. */
export const REPORT_MS = 1_000

/**
 * The reports that this machine sends to the other members. If a report has no news, a shorter message
 * replaces it.
 */
export class OwnReports {
  #number = 0
  /** The last full report, without its number, and with times instead of ages. */
  #last: string | undefined
  /** Number of messages since the last full report. */
  #repeats = 0

  /** Sends the next report in full, because another member might not have the last one. */
  forget(): void {
    this.#last = undefined
  }

  /** The message that is due each second. */
  next(parts: Reporting, input: ReportInput): ReportMessage {
    const { nowMs } = input
    const report = ownReport(parts, input)
    const { inputAge, snoozeMs, snoozeAge, revokedAge, ...rest } = report
    const ages = [inputAge, snoozeAge, revokedAge, snoozeMs === 0 ? undefined : -snoozeMs]
    const times = ages.map((age) => age !== undefined && Math.round((nowMs - age) / ROUNDED_TO_MS))
    const text = JSON.stringify([rest, times])
    this.#repeats += 1
    if (text === this.#last && this.#repeats < FULL_EVERY) return { kind: 'unchanged', report: this.#number }
    this.#last = text
    this.#repeats = 0
    this.#number += 1
    return { ...report, number: this.#number }
  }
}

/** At least one of this many messages is a full report, even if nothing has changed. */
const FULL_EVERY = 10
/** Times are compared after rounding to this many milliseconds. */
const ROUNDED_TO_MS = 10

/**
 * Adopts the snooze in another member's report if it was chosen after this machine's snooze. `sentMs`: the
 * latest time at which the report could have been sent, epoch ms.
 */
export function adoptSnooze(snooze: Snooze, report: ReportMessage, sentMs: number): void {
  if (report.kind !== 'report' || report.snoozeAge === undefined) return
  const { snoozeAge, snoozeMs } = report
  const chosenAtMs = sentMs - snoozeAge
  const { chosenAtMs: ownMs = Number.NEGATIVE_INFINITY } = snooze.read()
  // `snoozeAge` was measured when the report was sent, so the transit time makes `chosenAtMs` inexact.
  if (chosenAtMs > ownMs + REPORT_MS) snooze.adopt(snoozeMs > 0 ? sentMs + snoozeMs : undefined, chosenAtMs)
}

function ownReport(
  { membership, ledger, prober, programs, snooze }: Reporting,
  { nowMs, totals, inputAge, revokedAtMs }: ReportInput,
): Omit<MemberReport, 'number'> {
  const { untilMs, chosenAtMs } = snooze.read()
  const { user } = membership.marks
  return {
    kind: 'report',
    name: membership.name,
    ...(user !== undefined && { user }),
    rates: { ...ledger.ownRates(nowMs) },
    ...totals,
    programs: programs().map((program) => reported(program, nowMs)),
    ...(prober.budget !== undefined && { checkBudget: prober.budget }),
    ...(Object.keys(ledger.reserves).length > 0 && { reserves: { ...ledger.reserves } }),
    ...(inputAge !== undefined && { inputAge }),
    snoozeMs: untilMs === undefined ? 0 : Math.max(0, untilMs - nowMs),
    ...(chosenAtMs !== undefined && { snoozeAge: ageOf(chosenAtMs, nowMs) }),
    ...(revokedAtMs !== undefined && { revokedAge: ageOf(revokedAtMs, nowMs) }),
  }
}

function reported(
  { name, perSecond, class: own, weight, waiting, longestWaitMs, use }: OwnProgram,
  nowMs: number,
): ReportedProgram {
  const active = use
    .filter((one) => one.waiting > 0 || one.perSecond > 0)
    .sort((a, b) => b.waiting - a.waiting || b.perSecond - a.perSecond)
    .slice(0, MAX_REPORTED_USES)
  return {
    ...{ name, perSecond, class: own, weight, waiting, longestWaitMs },
    use: active.map((one) => ({
      ...{ category: one.category, perSecond: one.perSecond, waiting: one.waiting },
      ...(one.nextTurnAt !== undefined && { turnInMs: Math.max(0, one.nextTurnAt - nowMs) }),
    })),
  }
}
