import type { KeyReport } from '../../app/contract/events.ts'
import type { RequestQuota } from '../../app/contract/snapshot.ts'
import { RecentHistory } from '../../app/history/recent.ts'
import { MeteredLedger } from '../../app/quota/metered-ledger.ts'
import { CURRENT_REQUEST_QUOTAS, SLOT_QUOTAS } from '../../app/service/categories.ts'
import { SlotLedger } from '../../app/streams/slots.ts'
import { rotationMsOf } from '../../app/tokens/schedule.ts'
import { ApiClient } from '../api/client.ts'
import type { SessionGateway } from '../api/permit.ts'
import { Prober } from '../api/prober.ts'
import { QuotaTap } from '../api/quota-tap.ts'
import type { SessionDesk } from '../api/session-desk.ts'
import { cleanHttp } from '../network/clean-http.ts'
import { OtherHost } from '../network/other-host.ts'
import { hostOf, Reachability } from '../network/reachability.ts'
import type { Clock, Http, Random } from '../ports/ports.ts'
import type { Profile } from '../ports/profile.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { Timeline } from '../ports/timeline.ts'
import type { Pins } from '../streams/pinned-streams.ts'
import { Streams } from '../streams/streams.ts'
import { TokenKeeper, type WatchedBearer } from '../tokens/keeper.ts'
import type { TokenStore } from '../tokens/token-store.ts'
import { sampleModel } from './model-samples.ts'

export interface ProfilePorts {
  readonly clock: Clock
  readonly random: Random
  readonly http: Http
  /** Receives every adopted token, and removes tokens from texts that the service sends. */
  readonly secrets: Secrets
  readonly timeline: Timeline
  readonly pins?: Pins
  /** Whether a person is looking at the window. Absent if the host cannot know, which counts as `true`. */
  readonly attended?: () => boolean
  readonly changed: () => void
  readonly report: (report: KeyReport) => void
  /** Called when a listener of `changed` or `event` throws. */
  readonly onListenerError?: (cause: unknown) => void
}

/** The current profile and its token keeper. A new sign-in replaces both but no other part. */
export interface CurrentSession {
  readonly profile: () => Profile
  readonly keeper: () => TokenKeeper
  /** The gateway's functions for the key. `undefined` while the gateway is off. */
  readonly gateway?: () => SessionGateway | undefined
  /** The key's desk, if it has one. */
  readonly desk?: () => SessionDesk | undefined
}

/** The services of one connected key. */
export type ProfileParts = ReturnType<typeof profileParts>

export function profileParts(
  { baseUrl, authUrl, probes }: Profile,
  { pins, attended, ...given }: ProfilePorts,
  current: CurrentSession,
) {
  const ports = { ...given, http: cleanHttp(given.http, given.secrets) }
  const { clock, random, http, timeline, changed, report } = ports
  const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, timeline.now())
  ledger.partOf = (category) => current.desk?.()?.partOf(category)
  const slots = new SlotLedger(SLOT_QUOTAS, (category, reading) => current.desk?.()?.slots(category, reading))
  const history = new RecentHistory()
  const reachability = new Reachability(timeline, random, (happened) => {
    if (happened.kind === 'service-unreachable') otherHost.unreachable(happened.host)
    report(
      happened.kind === 'service-unreachable' && happened.host === hostOf(current.profile().baseUrl)
        ? { ...happened, serves: 'calls' }
        : happened,
    )
  })
  const otherHost: OtherHost = new OtherHost({
    clock,
    http,
    reachability,
    urls: () => [current.profile().authUrl, current.profile().baseUrl],
    isAsked: (host) =>
      host === hostOf(current.profile().baseUrl)
        ? current.keeper().canUseService
        : current.keeper().refreshSummary().retryAt !== undefined,
  })
  const reached = (ok: boolean, why: string, sinceMs?: number) =>
    ok ? reachability.answered(hostOf(authUrl)) : reachability.failed(hostOf(authUrl), why, sinceMs)
  const bearer = {
    access: () => current.keeper().access(),
    usable: () => current.keeper().usable(),
    rejected: (token: string, path: string) => current.keeper().rejected(token, path),
    accepted: (token: string, path: string) => current.keeper().accepted(token, path),
  }
  const mayUseService = () =>
    current.keeper().canUseService && reachability.mayTry(hostOf(current.profile().baseUrl))

  const tap = new QuotaTap({
    ledger,
    history,
    timeline,
    random,
    secrets: given.secrets,
    report,
    changed,
    clock,
    desk: () => current.desk?.(),
  })
  const turns = () => current.gateway?.()?.acquirePermit
  const client = new ApiClient({ ...ports, baseUrl, tap, reachability, turns, ...bearer })
  const prober = new Prober(probes, {
    clock,
    timeline,
    random,
    quotas: ledger,
    request: (request) => client.request(request),
    mayProbe: mayUseService,
    desk: () => current.desk?.(),
    accessToken: () => {
      const access = bearer.usable()
      return access.kind === 'token' ? access.value : undefined
    },
    ...(attended && { attended }),
  })
  const streams = new Streams({
    ...ports,
    ...bearer,
    baseUrl,
    tap,
    slots,
    host: hostOf(baseUrl),
    reachability,
    turns: () => current.gateway?.()?.acquireStreamPermit,
    ...(pins && { pins }),
  })
  const ofTokens = (happened: KeyReport) => {
    if (happened.kind === 'token-refreshed') tap.renewed()
    report(happened)
  }
  const keeperFor = (profile: Profile, tokens: TokenStore) =>
    new TokenKeeper(profile, tokens, { ...ports, event: ofTokens, reached }, rotationMsOf(profile))
  return {
    ledger,
    slots,
    history,
    reachability,
    otherHost,
    tap,
    client,
    prober,
    streams,
    /** See `sampleModel`. */
    startSampling: (shownRows: () => readonly RequestQuota[]) =>
      sampleModel({ clock, timeline, ledger, history, tap, shownRows, changed }),
    /** Creates the token keeper of a sign-in. */
    keeperFor,
    mayUseService,
    /** The access token of the current sign-in, for programs' requests. */
    bearer: {
      ...bearer,
      access: () => current.keeper().accessForProgram(),
      isRefreshing: () => current.keeper().isRefreshing,
    } satisfies WatchedBearer,
    timeline,
  }
}
