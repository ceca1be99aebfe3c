import type { History, Outcome } from '../app/contract/contract.ts'
import type { MonitorEvent } from '../app/contract/events.ts'
import type { RowDetails } from '../app/contract/row-details.ts'
import type { KeystoreState, Snapshot } from '../app/contract/snapshot.ts'
import type { Ledger } from '../app/quota/ledger.ts'
import { verdictOf } from '../app/quota/verdict.ts'
import { CURRENT_REQUEST_QUOTAS, SLOT_QUOTAS } from '../app/service/quotas.ts'
import { SlotLedger } from '../app/streams/slots.ts'
import { type KeyLifetimes, ROTATION } from '../app/tokens/after-refresh.ts'
import { REFRESH_SCHEDULE } from '../app/tokens/schedule.ts'
import { ApiClient, hostOf } from './api/client.ts'
import { cannotAsk, needsAccount, needsTarget } from './api/probe-refusals.ts'
import { Prober } from './api/prober.ts'
import { QuotaTap } from './api/quota-tap.ts'
import { streamToCheck } from './api/stream-check.ts'
import { MeteredLedger } from './history/metered-ledger.ts'
import { RecentHistory } from './history/recent.ts'
import type { Clock, Http, Random } from './ports/ports.ts'
import type { Profile } from './profile.ts'
import { Reachability } from './reachability.ts'
import type { KeyName } from './sign-in/connected-keys.ts'
import { secretTried } from './sign-in/secret-tried.ts'
import type { Pins } from './streams/pinned-streams.ts'
import { Streams } from './streams/streams.ts'
import type { Timeline } from './timeline.ts'
import { TokenKeeper } from './tokens/keeper.ts'
import type { TokenStore } from './vault/token-store.ts'

export interface ProfileMonitorDeps {
  readonly clock: Clock
  readonly random: Random
  readonly http: Http
  readonly timeline: Timeline
  readonly firstRevision: number
  readonly pins?: Pins
  /** How far this key can be relied on to be here after a restart. */
  readonly keystore: () => KeystoreState
  /** Whether somebody looks at the numbers; taken for granted where nobody can tell. */
  readonly attended?: () => boolean
  readonly changed: () => void
  readonly event: (event: MonitorEvent) => void
  /** Somebody who was told of something threw. */
  readonly broke?: (cause: unknown) => void
}

/** How often the model is looked at between headers, for the chart and for verdicts that time alone changes. */
const SAMPLE_MS = 3_000

/** The end of a shorter API key would be most of it. */
const LEAST_KEY_LENGTH = 12

/** Everything of one connected key. Reads as a list of what that is. */
export class ProfileMonitor {
  #profile: Profile
  readonly #deps: ProfileMonitorDeps
  readonly #ledger: Ledger
  readonly #slots = new SlotLedger(SLOT_QUOTAS)
  readonly #history = new RecentHistory()
  readonly #reachability: Reachability
  /** Made anew when the key signs in again. */
  #keeper: TokenKeeper
  readonly #keeperFor: (profile: Profile, tokens: TokenStore) => TokenKeeper
  readonly #tap: QuotaTap
  readonly #client: ApiClient
  readonly #prober: Prober
  readonly #streams: Streams
  #revision: number
  #verdicts = ''
  #cancelSample: () => void = () => {}

  constructor(profile: Profile, tokens: TokenStore, deps: ProfileMonitorDeps) {
    this.#profile = profile
    this.#deps = deps
    this.#revision = deps.firstRevision
    const { clock, random, http, timeline } = deps
    const changed = () => this.#changed()
    const event = (happened: MonitorEvent) => this.#happened(happened)
    const reached = (host: string) => (ok: boolean, why: string, sinceMs?: number) =>
      ok ? this.#reachability.answered(host) : this.#reachability.failed(host, why, sinceMs)
    const authHost = hostOf(profile.authUrl)
    const baseHost = hostOf(profile.baseUrl)

    this.#ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, timeline.now())
    this.#reachability = new Reachability(timeline, random, event)
    this.#keeperFor = (key, store) =>
      new TokenKeeper(
        key,
        store,
        {
          http,
          clock,
          random,
          timeline,
          changed,
          event,
          reached: reached(authHost),
          ...(deps.broke && { broke: deps.broke }),
        },
        lifetimesOf(key),
      )
    this.#keeper = this.#keeperFor(profile, tokens)
    const access = () => this.#keeper.access()
    const rejected = (value: string) => this.#keeper.rejected(value)
    this.#tap = new QuotaTap({
      ledger: this.#ledger,
      history: this.#history,
      timeline,
      random,
      event,
      changed,
      trialAfterStep: () => this.#profile.probes.trialAfterStep ?? false,
    })
    const tap = this.#tap
    const client = new ApiClient({
      baseUrl: profile.baseUrl,
      http,
      tap,
      reachability: this.#reachability,
      access,
      rejected,
    })
    this.#client = client
    this.#prober = new Prober(profile.probes, {
      clock,
      timeline,
      quotas: this.#ledger,
      request: (request) => client.request(request),
      mayProbe: () => this.#mayUseService(),
      ...(deps.attended && { attended: deps.attended }),
    })
    this.#streams = new Streams({
      baseUrl: profile.baseUrl,
      http,
      clock,
      random,
      timeline,
      tap,
      slots: this.#slots,
      access,
      rejected,
      reached: reached(baseHost),
      event,
      changed,
      ...(deps.pins && { pins: deps.pins }),
    })
  }

  get profile(): Profile {
    return this.#profile
  }

  get revision(): number {
    return this.#revision
  }

  get streams(): Pick<Streams, 'open' | 'close' | 'restart' | 'pin'> {
    return this.#streams
  }

  start(): void {
    this.#keeper.start()
    this.#prober.start()
    this.#streams.openAtStart(this.#profile.streams)
    this.#sample()
  }

  stop(): void {
    this.#cancelSample()
    this.#prober.stop()
    this.#client.stop()
    this.#streams.stop()
    this.#keeper.stop()
  }

  /** Ends when nothing of its tokens is on the way: an answer may bring one that has to be stored. */
  idle(): Promise<void> {
    return this.#keeper.idle()
  }

  /** Between these nobody knows whether time passed: see `Timeline`. */
  doubt(fromMs: number, toMs: number): void {
    this.#ledger.doubt(fromMs, toMs)
  }

  wake(): void {
    this.#keeper.wake()
    this.#streams.wake()
  }

  history(category: string, fromMs: number, toMs: number, points: number): History {
    return this.#history.query(category, fromMs, toMs, points)
  }

  async revoke(): Promise<Outcome> {
    // Nothing uses the grant from here on, whatever the service will answer.
    this.#streams.closeAll('tokens revoked', 'revoked')
    const result = await this.#keeper.revoke()
    if (result.kind === 'confirmed') return { ok: true }
    return {
      ok: false,
      code: result.kind === 'refused' ? 'revoke-refused' : 'revoke-unconfirmed',
      message:
        result.kind === 'refused'
          ? `Not revoked: ${result.why}.`
          : `Revocation not confirmed: ${result.why}. It is tried again; treat the tokens as live.`,
    }
  }

  /** A revocation of this API key was confirmed that was asked for elsewhere. */
  revokedElsewhere(): void {
    if (this.#keeper.revokedElsewhere()) this.#streams.closeAll('tokens revoked', 'revoked')
  }

  /** Whether both are sign-ins on one API key, which a revocation ends together (service.md 4.2). */
  hasKeyOf({ authUrl, clientId }: KeyName): boolean {
    return this.#profile.authUrl === authUrl && this.#profile.clientId === clientId
  }

  standDown(): void {
    this.#keeper.standDown()
  }

  get isRevocationPending(): boolean {
    const { state } = this.#keeper.refreshSummary()
    return state === 'revoking' || state === 'revoke-unconfirmed'
  }

  get needsSignIn(): boolean {
    const { state } = this.#keeper.refreshSummary()
    return state === 'sign-in-required' || state === 'revoked'
  }

  /** A revocation under way is waited for: it would end whatever is issued before it arrives. */
  async standDownSettled(): Promise<void> {
    this.standDown()
    if (this.#keeper.refreshSummary().state === 'revoking') await this.#keeper.revoke()
  }

  /** The same key with new tokens: quotas, slots, history and streams go on. */
  signedInAgain(profile: Profile, tokens: TokenStore): void {
    this.#keeper.stop()
    this.#profile = profile
    this.#prober.change(profile.probes)
    this.#keeper = this.#keeperFor(profile, tokens)
    this.#keeper.start()
    this.#changed()
  }

  /** The same tokens under another secret. */
  async correctSecret(profile: Profile): Promise<Outcome> {
    this.#profile = profile
    return secretTried(await this.#keeper.changeKey(profile))
  }

  /** Another secret for the same tokens, which another profile of this API key has shown to be right. */
  takeSecret(profile: Profile): void {
    this.#profile = profile
    void this.#keeper.takeKey(profile)
  }

  /** The same key as a person wants it followed from now on; its tokens and numbers go on. */
  changeSettings(profile: Profile): void {
    this.#profile = profile
    this.#keeper.changeLifetimes(lifetimesOf(profile))
    this.#prober.change(profile.probes)
    this.#changed()
  }

  tryNow(): void {
    this.#reachability.tryNow()
    void this.#keeper.tryNow()
    this.#streams.nudge()
    this.#prober.tick()
  }

  /** A category with requests of its own is probed; one that only streams show is looked at by a stream. */
  async checkNow(category: string): Promise<Outcome> {
    const request = streamToCheck(category, this.#prober)
    if (request === undefined) return this.#prober.checkNow(category)
    if (request === 'no-target') return needsTarget(category)
    if (!this.#mayUseService()) return cannotAsk(category)
    return request === 'no-account' ? needsAccount(category) : this.#streams.look(request)
  }

  rowDetails(category: string): RowDetails {
    return this.#tap.detailsOf(category)
  }

  snapshot(): Snapshot {
    const { id, name, environment, baseUrl, clientId } = this.#profile
    const now = this.#deps.timeline.now()
    const requests = this.#ledger.view(now)
    const down = this.#reachability.down
    return {
      revision: this.#revision,
      at: Math.round(now),
      profile: {
        id,
        name,
        environment,
        ...(clientId.length >= LEAST_KEY_LENGTH && { keyEnding: clientId.slice(-4) }),
      },
      service: {
        reachable: down === undefined,
        host: down?.host ?? hostOf(baseUrl),
        ...(down && {
          since: Math.round(down.sinceMs),
          retryAt: Math.round(down.retryAtMs),
          why: down.why,
        }),
      },
      keystore: this.#deps.keystore(),
      access: this.#keeper.accessSummary(),
      refresh: this.#keeper.refreshSummary(),
      requests,
      slots: this.#slots.view(),
      streams: this.#streams.summaries(),
      probes: this.#prober.summary(),
      verdict: verdictOf(requests),
    }
  }

  #mayUseService(): boolean {
    return this.#keeper.canUseService && this.#reachability.mayTry(hostOf(this.#profile.baseUrl))
  }

  #happened(event: MonitorEvent): void {
    this.#revision += 1
    this.#deps.event(event)
    if (event.kind === 'service-back' || event.kind === 'token-refreshed') this.#streams.nudge()
    if (event.kind === 'token-refreshed') this.#prober.tick()
    this.#deps.changed()
  }

  #changed(): void {
    this.#revision += 1
    this.#deps.changed()
  }

  #sample(): void {
    const now = this.#deps.timeline.now()
    const rows = this.#ledger.view(now)
    this.#history.sampled(rows, now)
    const verdicts = rows.map((row) => row.verdict).join()
    if (verdicts !== this.#verdicts) {
      this.#verdicts = verdicts
      this.#changed()
    }
    this.#cancelSample = this.#deps.clock.after(SAMPLE_MS, () => this.#sample())
  }
}

const lifetimesOf = ({ rotationMinutes }: Profile): KeyLifetimes => ({
  schedule: REFRESH_SCHEDULE,
  ...ROTATION,
  ...(rotationMinutes !== undefined && { rotationMs: rotationMinutes * 60_000 }),
})
