import type { DeskMember, DeskSummary } from '../../app/contract/desk.ts'
import type { MeteredLedger } from '../../app/quota/metered-ledger.ts'
import type { DeskTrouble } from './desk-trouble.ts'
import type { EngineState } from './engine.ts'
import { sumOf } from './other-member.ts'

interface DeskParts extends Pick<DeskSummary, 'dispatcher' | 'queue' | 'dropped'> {
  readonly engine: EngineState
  readonly trouble: Pick<DeskTrouble, 'refusal' | 'why' | 'isRefused' | 'isAlone'>
  /** This machine. */
  readonly self: DeskMember
  readonly others: readonly DeskMember[]
  /** The id of the member that announces alerts. */
  readonly announces: string | undefined
}

/** The desk as snapshots show it. */
export function shownDesk({
  engine: { server, reachable, sinceMs, roundTripMs },
  trouble: { refusal, why, isRefused, isAlone },
  self,
  others,
  announces,
  dropped,
  ...queue
}: DeskParts): DeskSummary {
  const members = [self, ...others.toSorted((a, b) => a.name.localeCompare(b.name))]
  return {
    state: isRefused ? 'refused' : isAlone ? 'alone' : 'joined',
    ...(why !== undefined && { why }),
    ...(refusal && { refusal }),
    engine: {
      server,
      reachable,
      ...(sinceMs !== undefined && { since: Math.round(sinceMs) }),
      ...(roundTripMs !== undefined && { roundTripMs }),
    },
    ...(isRefused ? {} : queue),
    members: members.map((one) => ({ ...one, dispatcher: !isRefused && one.id === queue.dispatcher })),
    ...(announces !== undefined && { announces }),
    dropped,
  }
}

/** This machine's entry in the list of members. `nowMs` is in epoch ms. */
export const ownMember = (
  { memberId, name }: { readonly memberId: string; readonly name: string },
  ledger: MeteredLedger,
  nowMs: number,
): DeskMember => ({
  ...{ id: memberId, name, self: true, present: true, lastSeenMs: 0 },
  perSecond: sumOf(ledger.ownRates(nowMs)),
  total: sumOf(ledger.ownCounts()),
})
