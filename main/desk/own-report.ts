import { DESK_PROTOCOL, type MemberReport } from '../../app/desk/messages.ts'
import { ageOf } from '../../app/desk/own-record.ts'
import type { MeteredLedger } from '../../app/quota/metered-ledger.ts'

/** The snooze of alerts, which the members of a desk share. Times in epoch ms. */
export interface Snooze {
  /** `untilMs`: absent while alerts are not snoozed. `chosenAtMs`: when a person chose that. */
  read(): { readonly untilMs?: number | undefined; readonly chosenAtMs?: number | undefined }
  /** Adopts what another member's person chose. */
  adopt(untilMs: number | undefined, chosenAtMs: number): void
}

/** What a report is made from, besides what changes with each. */
export interface Reporting {
  readonly membership: { readonly name: string; readonly marks: { readonly user?: string } }
  readonly ledger: Pick<MeteredLedger, 'ownRates'>
  /** The programs behind this machine's gateway, with their rates. */
  readonly programs: () => readonly { readonly name: string; readonly perSecond: number }[]
  readonly snooze: Snooze
}

interface ReportInput {
  readonly nowMs: number
  readonly totals: Pick<MemberReport, 'counted' | 'streams' | 'underWay'>
  /** How long ago a person last looked at this Headroom, in milliseconds; `undefined` if unknown. */
  readonly inputAge: number | undefined
  /** When this machine revoked the key, epoch ms; `undefined` if it did not. */
  readonly revokedAtMs: number | undefined
}

/** What this machine reports to the other members each second. */
export function ownReport(
  { membership, ledger, programs, snooze }: Reporting,
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
    programs: programs().map(({ name, perSecond }) => ({ name, perSecond })),
    ...(inputAge !== undefined && { inputAge }),
    snoozeMs: untilMs === undefined ? 0 : Math.max(0, untilMs - nowMs),
    ...(chosenAtMs !== undefined && { snoozeAge: ageOf(chosenAtMs, nowMs) }),
    ...(revokedAtMs !== undefined && { revokedAge: ageOf(revokedAtMs, nowMs) }),
  }
}
