import { conditionsOf, isStopped } from '../../app/conditions/evaluate.ts'
import { explains } from '../../app/conditions/kinds.ts'
import type { KeystoreState } from '../../app/contract/key-health.ts'
import { NO_ORDERS, type OrdersSummary, STOPPED_BY_PERSON } from '../../app/contract/orders.ts'
import type {
  ProfileSummary,
  ProgramSummary,
  RefreshSummary,
  RequestQuota,
  Snapshot,
  StreamSummary,
} from '../../app/contract/snapshot.ts'
import type { Ledger } from '../../app/quota/ledger.ts'
import { rowVerdictOf, verdictOf } from '../../app/quota/verdict.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'
import type { SessionGateway } from '../api/permit.ts'
import type { Prober } from '../api/prober.ts'
import type { QuotaTap } from '../api/quota-tap.ts'
import type { SessionDesk } from '../api/session-desk.ts'
import { hostOf, type Reachability } from '../network/reachability.ts'
import type { Profile } from '../ports/profile.ts'
import type { Streams } from '../streams/streams.ts'
import type { TokenKeeper } from '../tokens/keeper.ts'

export interface SnapshotSources {
  readonly revision: number
  readonly settingsAt: number
  readonly profile: Profile
  readonly keystore: KeystoreState
  readonly pausedHistory: Snapshot['pausedHistory']
  readonly reachability: Pick<Reachability, 'down' | 'hasAnswered'>
  readonly keeper: Pick<TokenKeeper, 'accessSummary' | 'canUseService' | 'refreshSummary'>
  readonly ledger: Pick<Ledger, 'view'>
  readonly slots: Pick<SlotLedger, 'view'>
  readonly streams: Pick<Streams, 'summaries'>
  readonly prober: Pick<Prober, 'summary' | 'nextCheckAt'>
  readonly tap: Pick<QuotaTap, 'problemOf'>
  readonly gateway?: Pick<SessionGateway, 'summary'> | undefined
  readonly desk?: Pick<SessionDesk, 'summary' | 'revokedBy'> | undefined
  readonly orders?: OrdersSummary | undefined
}

/** Minimum length of an API key whose last characters are shown. They would reveal most of a shorter key. */
const MIN_KEY_LENGTH = 12

/** The snapshot of one profile at `nowMs`. It contains only the last characters of the API key. */
export function profileSnapshot(sources: SnapshotSources, nowMs: number): Snapshot {
  const { profile, keystore, reachability, keeper, prober, pausedHistory } = sources
  const served = sources.gateway?.summary()
  const [access, refresh] = [keeper.accessSummary(), refreshOf(sources, keeper.refreshSummary())]
  const signInHost = signInHostSummary(profile, reachability, refresh)
  const requests = sources.ledger.view(nowMs).map((counted) => {
    const row = served === undefined ? counted : withPrograms(counted, served.programs)
    const nextCheckAt = prober.nextCheckAt(row)
    const problem = sources.tap.problemOf(row.category, signInHost === undefined)
    if (nextCheckAt === undefined && problem === undefined) return row
    return { ...row, ...(nextCheckAt !== undefined && { nextCheckAt }), ...(problem && { problem }) }
  })
  // Without an access token, the next request goes to the sign-in host and not to the service.
  const service = serviceSummary(profile, reachability, keeper.canUseService ? undefined : refresh)
  return asFarAsKnown({
    revision: sources.revision,
    at: Math.round(nowMs),
    profile: profileSummary(profile),
    service,
    ...(signInHost && { signInHost }),
    keystore,
    access,
    refresh,
    requests,
    slots: sources.slots.view(),
    streams: sources.streams.summaries(),
    probes: prober.summary(),
    settingsAt: sources.settingsAt,
    verdict: verdictOf(requests, service),
    ...(pausedHistory && { pausedHistory }),
    ...served,
    ...(sources.desk && { desk: sources.desk.summary() }),
    orders: ordersOf(profile, sources.orders),
  })
}

/**
 * Removes facts that can't be known while all of the key's calls fail: each row's state, safe pace and next
 * check. Streams without data are paused.
 */
function asFarAsKnown(snapshot: Snapshot): Snapshot {
  const conditions = conditionsOf(snapshot, snapshot.at)
  if (!isStopped(conditions)) return snapshot
  const { refresh, access, signInHost } = snapshot
  // While the key is signed out, or its sign-in host does not respond, a 401 is only a consequence. Otherwise
  // the 401 itself shows why calls fail.
  const isSignedIn = refresh.state === 'valid' || refresh.state === 'unconfirmed'
  const isTokenGone = conditions.roots.some(({ kind }) => kind === 'sign-in-host-gone')
  // While keys can't be opened, rows with default values are left out, because the key's limits may differ
  // from the documented ones.
  const isUnopened = conditions.roots.some(({ kind }) => explains(kind, 'signed-out'))
  const isShown = ({ source }: { readonly source: string }) => !isUnopened || source !== 'default'
  const requests = snapshot.requests
    .filter(isShown)
    .map((row) => uncheckedRow(row, isSignedIn && signInHost === undefined))
  return {
    ...snapshot,
    ...(isTokenGone && access.state === 'valid' && { access: { ...access, state: 'expired' } }),
    requests,
    slots: snapshot.slots.filter(isShown),
    streams: snapshot.streams.map(pausedStream),
    verdict: verdictOf(requests, snapshot.service),
  }
}

function pausedStream(stream: StreamSummary): StreamSummary {
  const isPaused = stream.state === 'opening' || stream.state === 'stale' || stream.state === 'waiting'
  if (!isPaused) return stream
  // The stream's own retry is left out, because the stream waits for the host or the sign-in.
  const { retryAt: _, ...rest } = stream
  return { ...rest, reasonCode: 'calls-fail', reason: 'reopens when calls succeed' }
}

function uncheckedRow(
  { safe, nextCheckAt, problem, ...row }: RequestQuota,
  isSignedIn: boolean,
): RequestQuota {
  const state = 'not-checked'
  const own = problem !== undefined && (isSignedIn || problem.status !== 401) ? { problem } : {}
  return { ...row, ...own, state, verdict: rowVerdictOf({ ...row, state }) }
}

/**
 * Adds each program's share of the row's own use.
 *
 * A program's rate is the mean of the last minute, but the rate of own use is a decaying mean. So the
 * programs' rates are scaled down if their sum exceeds own use.
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

/**
 * A key's orders, and why they are stopped. A process that relays no orders shows only whether orders are on.
 */
function ordersOf({ orders }: Profile, served: OrdersSummary | undefined): OrdersSummary {
  const summary: OrdersSummary = served ?? { ...NO_ORDERS, state: orders ?? 'off' }
  return summary.state === 'stopped' ? { why: STOPPED_BY_PERSON, ...summary } : summary
}

function profileSummary({ id, name, environment, clientId }: Profile): ProfileSummary {
  return {
    id,
    name,
    environment,
    ...(clientId.length >= MIN_KEY_LENGTH && { keyEnding: clientId.slice(-4) }),
  }
}

const LOCKED: readonly KeystoreState[] = ['waiting', 'no-passphrase', 'unreadable']

function refreshOf(
  { keystore, desk }: Pick<SnapshotSources, 'keystore' | 'desk'>,
  refresh: RefreshSummary,
): RefreshSummary {
  if (refresh.state === 'revoked' && desk?.revokedBy !== undefined)
    return { ...refresh, revokedBy: desk.revokedBy }
  const isLocked = LOCKED.includes(keystore) && refresh.state === 'sign-in-required'
  return isLocked ? { ...refresh, cause: 'locked' } : refresh
}

/**
 * The service's host. `awaited` is the state of the refresh token, if the next request to the service must
 * wait for a new access token.
 */
function serviceSummary(
  { baseUrl, authUrl }: Profile,
  reachability: SnapshotSources['reachability'],
  awaited: RefreshSummary | undefined,
): Snapshot['service'] {
  const host = hostOf(baseUrl)
  const down = reachability.down(host)
  if (down === undefined)
    return reachability.hasAnswered(host)
      ? { reachable: true, host }
      : { reachable: false, pending: true, host }
  const { sinceMs, why } = down
  const forTokens = hostOf(authUrl) === host ? awaited?.retryAt : undefined
  const retryAt = awaited === undefined ? Math.round(down.retryAtMs) : forTokens
  return {
    reachable: false,
    host,
    since: Math.round(sinceMs),
    ...(retryAt !== undefined && { retryAt }),
    why,
  }
}

/**
 * The sign-in host, if it differs from the service's host and does not respond while the sign-in is `valid`
 * or `unconfirmed`. The next refresh or connection is attempted automatically.
 */
function signInHostSummary(
  { baseUrl, authUrl }: Profile,
  reachability: SnapshotSources['reachability'],
  { state, retryAt: refreshAt }: RefreshSummary,
): Snapshot['signInHost'] {
  const host = hostOf(authUrl)
  const down = reachability.down(host)
  if (down === undefined || host === hostOf(baseUrl)) return undefined
  if (state !== 'valid' && state !== 'unconfirmed') return undefined
  const retryAt = refreshAt ?? Math.round(down.retryAtMs)
  return { host, since: Math.round(down.sinceMs), why: down.why, retryAt }
}
