import type { ProgramSummary } from '../../app/contract/snapshot.ts'
import {
  DESK_PROTOCOL,
  MAX_REPORTED_USES,
  type MemberReport,
  type ReportedProgram,
} from '../../app/desk/messages.ts'
import { ageOf } from '../../app/desk/own-record.ts'
import type { MeteredLedger } from '../../app/quota/metered-ledger.ts'
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

/** What the other members see of a program behind this machine's gateway. */
export type OwnProgram = Pick<
  ProgramSummary,
  'name' | 'perSecond' | 'class' | 'weight' | 'waiting' | 'longestWaitMs' | 'use'
>

/** Parts of a report that stay the same for all reports. See `ReportInput` for the others. */
export interface Reporting {
  readonly membership: { readonly name: string; readonly marks: { readonly user?: string } }
  readonly ledger: Pick<MeteredLedger, 'ownRates' | 'reserves'>
  readonly prober: Pick<Prober, 'budget'>
  /** The programs behind this machine's gateway. */
  readonly programs: () => readonly OwnProgram[]
  readonly snooze: Snooze
}

interface ReportInput {
  readonly nowMs: number
  readonly totals: Pick<MemberReport, 'counted' | 'countedAge' | 'streams' | 'underWay'>
  /** Milliseconds since a person last looked at this Headroom. `undefined` if unknown. */
  readonly inputAge: number | undefined
  /** When this machine revoked the key, epoch ms. `undefined` if this machine did not revoke it. */
  readonly revokedAtMs: number | undefined
}

/** Interval between two reports, in milliseconds. */
export const REPORT_MS = 1_000

/**
 * Adopts the snooze in another member's report if it was chosen after this machine's snooze. `sentMs`: the
 * latest time at which the report can have been sent, epoch ms.
 */
export function adoptSnooze(
  snooze: Snooze,
  { snoozeAge, snoozeMs }: Pick<MemberReport, 'snoozeAge' | 'snoozeMs'>,
  sentMs: number,
): void {
  if (snoozeAge === undefined) return
  const chosenAtMs = sentMs - snoozeAge
  const { chosenAtMs: ownMs = Number.NEGATIVE_INFINITY } = snooze.read()
  // The age of a choice is measured when it is sent, so the transit time makes `chosenAtMs` inexact.
  if (chosenAtMs > ownMs + REPORT_MS) snooze.adopt(snoozeMs > 0 ? sentMs + snoozeMs : undefined, chosenAtMs)
}

/** The report that this machine sends to the other members each second. */
export function ownReport(
  { membership, ledger, prober, programs, snooze }: Reporting,
  { nowMs, totals, inputAge, revokedAtMs }: ReportInput,
): MemberReport {
  const { untilMs, chosenAtMs } = snooze.read()
  const { user } = membership.marks
  return {
    kind: 'report',
    protocol: DESK_PROTOCOL,
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
