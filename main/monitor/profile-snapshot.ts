import type {
  KeystoreState,
  ProfileSummary,
  ProgramSummary,
  RequestQuota,
  Snapshot,
} from '../../app/contract/snapshot.ts'
import type { Ledger } from '../../app/quota/ledger.ts'
import { verdictOf } from '../../app/quota/verdict.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'
import { hostOf } from '../api/client.ts'
import type { Prober } from '../api/prober.ts'
import type { QuotaTap } from '../api/quota-tap.ts'
import type { Streams } from '../streams/streams.ts'
import type { TokenKeeper } from '../tokens/keeper.ts'
import type { Profile } from './profile.ts'
import type { Reachability } from './reachability.ts'
import type { SessionGateway } from './session-gateway.ts'

/** The sources of a snapshot, one for each of its parts. */
export interface SnapshotSources {
  readonly revision: number
  readonly settingsAt: number
  readonly profile: Profile
  readonly keystore: KeystoreState
  readonly reachability: Pick<Reachability, 'down'>
  readonly keeper: Pick<TokenKeeper, 'accessSummary' | 'refreshSummary'>
  readonly ledger: Pick<Ledger, 'view'>
  readonly slots: Pick<SlotLedger, 'view'>
  readonly streams: Pick<Streams, 'summaries'>
  readonly prober: Pick<Prober, 'summary' | 'nextCheckAt'>
  readonly tap: Pick<QuotaTap, 'problemOf'>
  readonly gateway?: Pick<SessionGateway, 'summary'> | undefined
}

/** The minimum length of an API key whose ending is shown: it would be most of a shorter one. */
const MIN_KEY_LENGTH = 12

/** The snapshot of one profile, computed for `nowMs`. Of its API key it contains only the ending. */
export function profileSnapshot(sources: SnapshotSources, nowMs: number): Snapshot {
  const {
    revision,
    profile,
    keystore,
    reachability,
    keeper,
    ledger,
    slots,
    streams,
    prober,
    settingsAt,
    tap,
  } = sources
  const served = sources.gateway?.summary()
  const requests = ledger.view(nowMs).map((counted) => {
    const row = served === undefined ? counted : withPrograms(counted, served.programs)
    const nextCheckAt = prober.nextCheckAt(row)
    const problem = tap.problemOf(row.category)
    if (nextCheckAt === undefined && problem === undefined) return row
    return { ...row, ...(nextCheckAt !== undefined && { nextCheckAt }), ...(problem && { problem }) }
  })
  const service = serviceSummary(profile, reachability)
  return {
    revision,
    at: Math.round(nowMs),
    profile: profileSummary(profile),
    service,
    keystore,
    access: keeper.accessSummary(),
    refresh: keeper.refreshSummary(),
    requests,
    slots: slots.view(),
    streams: streams.summaries(),
    probes: prober.summary(),
    settingsAt,
    verdict: verdictOf(requests, service),
    ...served,
  }
}

/**
 * The row with the part of its own use that each program makes.
 *
 * A program's rate is the mean of its last minute, and own use decays over a minute. Where that lets the programs come to more than
 * own use, they share it as their rates do: the sum of programs is part of own.
 */
function withPrograms(row: RequestQuota, programs: readonly ProgramSummary[]): RequestQuota {
  const { category, use } = row
  if (use === null) return row
  const rates = programs.flatMap(({ id, use: used }) => {
    const perSecond = used.find((one) => one.category === category)?.perSecond ?? 0
    return perSecond > 0 ? [[id, perSecond] as const] : []
  })
  const sum = rates.reduce((total, [, perSecond]) => total + perSecond, 0)
  const share = sum > use.own ? use.own / sum : 1
  const shares = rates.map(([id, perSecond]) => [id, perSecond * share] as const)
  return { ...row, use: { ...use, programs: Object.fromEntries(shares) } }
}

function profileSummary({ id, name, environment, clientId }: Profile): ProfileSummary {
  return {
    id,
    name,
    environment,
    ...(clientId.length >= MIN_KEY_LENGTH && { keyEnding: clientId.slice(-4) }),
  }
}

function serviceSummary(
  { baseUrl }: Profile,
  { down }: SnapshotSources['reachability'],
): Snapshot['service'] {
  if (down === undefined) return { reachable: true, host: hostOf(baseUrl) }
  const { host, sinceMs, retryAtMs, why } = down
  return { reachable: false, host, since: Math.round(sinceMs), retryAt: Math.round(retryAtMs), why }
}
