import type { DeskMember, DeskSummary } from '../../app/contract/desk.ts'
import type { MeteredLedger } from '../../app/quota/metered-ledger.ts'
import type { DeskTrouble } from './desk-trouble.ts'
import type { Engine } from './engine.ts'
import { sumOf } from './other-member.ts'
import type { OtherMembers } from './other-members.ts'

interface Summarized {
  readonly membership: { readonly memberId: string; readonly name: string }
  readonly ledger: Pick<MeteredLedger, 'ownRates' | 'ownCounts'>
  readonly engine: Pick<Engine, 'state'>
  readonly trouble: Pick<DeskTrouble, 'isRefused' | 'refusal' | 'why'>
  readonly members: OtherMembers
  /** Milliseconds since a person last looked at this Headroom. `undefined` if unknown. */
  readonly inputAge: number | undefined
  readonly dropped: number
}

/** The desk as snapshots show it. */
export function deskSummaryOf(parts: Summarized, nowMs: number): DeskSummary {
  const { engine, trouble, members, inputAge, dropped } = parts
  const { state } = engine
  const { refusal, why } = trouble
  const announces = members.announcer(inputAge)
  const others = members.all().flatMap(([, member]) => member.summary() ?? [])
  return {
    state: trouble.isRefused ? 'refused' : state.reachable ? 'joined' : 'alone',
    ...(why !== undefined && { why }),
    ...(refusal && { refusal }),
    engine: {
      server: state.server,
      reachable: state.reachable,
      ...(state.sinceMs !== undefined && { since: Math.round(state.sinceMs) }),
      ...(state.roundTripMs !== undefined && { roundTripMs: state.roundTripMs }),
    },
    members: [ownMember(parts, nowMs), ...others.sort((a, b) => a.name.localeCompare(b.name))],
    ...(announces !== undefined && { announces }),
    dropped,
  }
}

const ownMember = ({ ledger, membership }: Summarized, nowMs: number): DeskMember => ({
  id: membership.memberId,
  name: membership.name,
  self: true,
  present: true,
  lastSeenMs: 0,
  perSecond: sumOf(ledger.ownRates(nowMs)),
  total: sumOf(ledger.ownCounts()),
})
