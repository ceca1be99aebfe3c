import type { KeyReport, LoggedEvent } from '../../app/contract/events.ts'
import type { KeystoreState } from '../../app/contract/key-health.ts'
import type { OrdersSummary } from '../../app/contract/orders.ts'
import type { Outcome } from '../../app/contract/outcome.ts'
import type { ProgramSummary, Snapshot } from '../../app/contract/snapshot.ts'
import type { Thresholds } from '../../app/contract/units.ts'
import type { RefreshOutcome } from '../../app/tokens/refresh-grant.ts'
import { rotationMsOf } from '../../app/tokens/schedule.ts'
import type { SessionGateway } from '../api/permit.ts'
import type { SessionDesk } from '../api/session-desk.ts'
import type { Profile } from '../ports/profile.ts'
import type { KeyName } from '../sign-in/corrected-secrets.ts'
import type { TokenKeeper } from '../tokens/keeper.ts'
import { revocationOutcome } from '../tokens/key-revocation.ts'
import type { TokenStore } from '../tokens/token-store.ts'
import { type ProfileParts, type ProfilePorts, profileParts } from './profile-parts.ts'
import { profileSnapshot } from './profile-snapshot.ts'

export interface ProfileSessionDeps extends ProfilePorts {
  readonly firstRevision: number
  /** Whether this key's tokens survive a restart. */
  readonly keystore: () => KeystoreState
  /** Orders of this key. `undefined` in a process without orders. */
  readonly orders: () => OrdersSummary | undefined
  /** The event for a report. `undefined` if the report contains nothing new. */
  readonly report: (report: KeyReport) => LoggedEvent | undefined
}

/** One connected key: its tokens, streams, checks and quotas, across any number of sign-ins. */
export class ProfileSession {
  #profile: Profile
  readonly #deps: ProfileSessionDeps
  /** The services that commands of this key use. */
  readonly parts: ProfileParts
  /** Replaced at each sign-in. */
  #keeper: TokenKeeper
  #tokens: TokenStore
  #revision: number
  #settingsAtMs: number
  #gateway: SessionGateway | undefined
  #desk: SessionDesk | undefined
  #pausedHistory: Snapshot['pausedHistory']
  #stopSampling: () => void = () => {}

  constructor(profile: Profile, tokens: TokenStore, deps: ProfileSessionDeps) {
    this.#profile = profile
    this.#deps = deps
    this.#revision = deps.firstRevision
    this.#settingsAtMs = deps.timeline.now()
    const changed = () => this.changed()
    const report = (happened: KeyReport) => this.happened(happened)
    const ports = { ...deps, changed, report }
    this.parts = profileParts(profile, ports, {
      profile: () => this.#profile,
      keeper: () => this.#keeper,
      gateway: () => this.#gateway,
      desk: () => this.#desk,
    })
    this.#tokens = tokens
    this.#keeper = this.parts.keeperFor(profile, tokens)
  }

  get profile(): Profile {
    return this.#profile
  }

  get tokens(): TokenStore {
    return this.#tokens
  }

  /** Whether the key's newest token could not be stored and is only in memory. */
  get hasUnsavedToken(): boolean {
    return this.#keeper.refreshSummary().unsaved !== undefined
  }

  /** When the settings last changed, in epoch milliseconds. Each change increases this time. */
  get settingsAt(): number {
    return Math.round(this.#settingsAtMs)
  }

  get revision(): number {
    return this.#revision
  }

  start(): void {
    this.#keeper.start()
    this.parts.prober.start()
    this.parts.streams.openAtStart(this.#profile.streams)
    this.#stopSampling = this.parts.startSampling(() => this.snapshot().requests)
  }

  stop(): void {
    this.#stopSampling()
    this.parts.prober.stop()
    this.parts.client.stop()
    this.parts.otherHost.stop()
    this.parts.streams.stop()
    this.#keeper.stop()
  }

  /**
   * Resolves when no token request is pending. The response of such a request may contain a token that must
   * be stored.
   */
  idle(): Promise<void> {
    return this.#keeper.idle()
  }

  /** Records a span of time whose real duration is unknown. See `Timeline`. */
  markClockUncertain(fromMs: number, toMs: number): void {
    this.parts.ledger.markClockUncertain(fromMs, toMs)
    this.#gateway?.markClockUncertain(fromMs, toMs)
  }

  wake(): void {
    this.#keeper.wake()
    this.parts.streams.wake()
  }

  /** Records why the history can't be written. `undefined` if it can be written. */
  historyFailing(failing: { readonly failure: string; readonly what: string } | undefined): void {
    if (failing?.failure === this.#pausedHistory?.failure) return
    this.#deps.report(failing ? { kind: 'storage-problem', ...failing } : { kind: 'storage-ok' })
    this.#pausedHistory = failing && { failure: failing.failure, since: this.#deps.timeline.now() }
    this.changed()
  }

  /** Connects the gateway to this key. `undefined` disconnects it. */
  attachGateway(gateway: SessionGateway | undefined): void {
    this.#gateway = gateway
    if (this.#desk !== undefined) gateway?.setDesk(this.#desk.queue)
    this.changed()
  }

  /**
   * Connects this key to a desk, which shares the key's requests with other machines. `undefined` disconnects
   * it.
   */
  attachDesk(desk: SessionDesk | undefined): void {
    this.#desk = desk
    this.#gateway?.setDesk(desk?.queue)
    this.changed()
  }

  /** The programs behind the gateway on this key, with their use. */
  get programs(): readonly ProgramSummary[] {
    return this.#gateway?.summary().programs ?? []
  }

  /** When the service confirmed a revocation, epoch ms. `undefined` while the key is not revoked. */
  get revokedAtMs(): number | undefined {
    return this.#keeper.refreshSummary().revokedAt
  }

  setThresholds(thresholds: Thresholds): void {
    this.parts.ledger.thresholds = thresholds
    this.changed()
  }

  async revoke(): Promise<Outcome> {
    // From here on, no request may use the tokens, even if the revocation fails.
    this.parts.streams.closeAll('tokens revoked', 'revoked')
    return revocationOutcome(await this.#keeper.revoke(), this.#keeper.refreshSummary())
  }

  /** Records that another profile's revocation of this API key was confirmed. */
  revokedElsewhere(): void {
    if (this.#keeper.revokedElsewhere()) this.parts.streams.closeAll('tokens revoked', 'revoked')
  }

  /**
   * Whether this session uses the given API key. A revocation ends all sign-ins with that key (service 4.2).
   */
  hasKeyOf({ authUrl, clientId }: KeyName): boolean {
    return this.#profile.authUrl === authUrl && this.#profile.clientId === clientId
  }

  suspendRevocationRetry(): void {
    this.#keeper.suspendRevocationRetry()
  }

  get isRevocationPending(): boolean {
    const { state } = this.#keeper.refreshSummary()
    return state === 'revoking' || state === 'revoke-unconfirmed'
  }

  get needsSignIn(): boolean {
    const { state } = this.#keeper.refreshSummary()
    return state === 'sign-in-required' || state === 'revoked'
  }

  /**
   * Stops the retries of a revocation. Waits for an attempt in progress, because that attempt would end new
   * tokens too.
   */
  async suspendRevocationRetrySettled(): Promise<void> {
    this.suspendRevocationRetry()
    if (this.#keeper.refreshSummary().state === 'revoking') await this.#keeper.revoke()
  }

  /** Replaces the tokens after a new sign-in. Quotas, slots, history and streams continue. */
  signedInAgain(profile: Profile, tokens: TokenStore): void {
    this.#keeper.stop()
    this.#profile = profile
    this.parts.prober.change(profile.probes)
    this.#tokens = tokens
    this.#keeper = this.parts.keeperFor(profile, tokens)
    this.#keeper.start()
    this.parts.prober.signedIn()
    this.changed()
  }

  /** Tries another client secret with the same tokens. */
  correctSecret(profile: Profile): Promise<RefreshOutcome> {
    this.#profile = profile
    return this.#keeper.changeKey(profile)
  }

  /** Adopts a client secret that another profile of this API key has used successfully. */
  takeSecret(profile: Profile): void {
    this.#profile = profile
    void this.#keeper.takeKey(profile)
  }

  /** Applies new settings. Keeps the tokens and the measured quotas. */
  changeSettings(profile: Profile): void {
    this.#profile = profile
    // Two changes may happen within the same millisecond, but the time must increase with each.
    this.#settingsAtMs = Math.max(this.#deps.timeline.now(), this.#settingsAtMs + 1)
    this.#keeper.rotationMs = rotationMsOf(profile)
    this.parts.prober.change(profile.probes)
    this.changed()
  }

  /** Retries everything that failed. `ofAllKeys`: see `TokenKeeper.tryNow`. */
  tryNow(scope?: { readonly ofAllKeys: true }): void {
    this.parts.reachability.tryNow()
    this.parts.otherHost.tryNow()
    void this.#keeper.tryNow(scope)
    this.parts.streams.nudge()
    this.parts.prober.tick()
    this.#desk?.tryNow()
  }

  snapshot(): Snapshot {
    return profileSnapshot(
      {
        revision: this.#revision,
        settingsAt: this.settingsAt,
        profile: this.#profile,
        keystore: this.#deps.keystore(),
        ...this.parts,
        keeper: this.#keeper,
        gateway: this.#gateway,
        desk: this.#desk,
        pausedHistory: this.#pausedHistory,
        orders: this.#deps.orders(),
      },
      this.#deps.timeline.now(),
    )
  }

  /** Records an event of this key, such as one about its programs or its desk. */
  happened(report: KeyReport): void {
    const event = this.#deps.report(report)
    if (event === undefined) return
    this.#revision += 1
    if (event.kind === 'service-back' || event.kind === 'token-refreshed') this.parts.streams.nudge()
    if (event.kind === 'token-refreshed') this.parts.prober.tick()
    this.#deps.changed()
  }

  /** Records that data of this key changed, such as its programs or its desk. */
  changed(): void {
    this.#revision += 1
    this.#deps.changed()
  }
}
