import type { MonitorEvent } from '../../app/contract/events.ts'
import type { AccessSummary, RefreshSummary } from '../../app/contract/snapshot.ts'
import type { KeyLifetimes } from '../../app/tokens/after-refresh.ts'
import { type RevocationAnswer, stoodDown } from '../../app/tokens/after-revocation.ts'
import { isAlive, isFresh, isRevoking, mayRefresh } from '../../app/tokens/key-state.ts'
import { nextStep } from '../../app/tokens/next-step.ts'
import type { KeyCredentials, RefreshOutcome } from '../../app/tokens/refresh-grant.ts'
import { accessSummary, refreshSummary } from '../../app/tokens/token-summaries.ts'
import type { Timeline } from '../monitor/timeline.ts'
import type { Clock, Http, Random } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { TokenStore } from '../vault/token-store.ts'
import { HeldKey } from './held-key.ts'
import { KeyRefresh } from './key-refresh.ts'
import { KeyRevocation } from './key-revocation.ts'
import { toldSafely } from './told-safely.ts'

export interface KeeperDeps {
  readonly http: Http
  /** Told every token before it is sent, and as it is adopted. */
  readonly secrets: Secrets
  readonly clock: Clock
  readonly random: Random
  readonly timeline: Timeline
  readonly changed: () => void
  readonly event: (event: MonitorEvent) => void
  /** Whether the sign-in host could be reached, for the one place that tells people so. */
  readonly reached: (ok: boolean, why: string, sinceMs?: number) => void
  /** Somebody who was told of something threw. That is a bug of theirs, and the tokens go on. */
  readonly broke?: (cause: unknown) => void
}

/** An access token, or why there is none now. */
export type Access =
  | { readonly kind: 'token'; readonly value: string }
  | { readonly kind: 'none'; readonly why: string }

/** Sleep stops timers: whatever is due, the time left is looked at again at least this often. */
const LONGEST_NAP_MS = 60_000

/**
 * Owns the tokens of one key: says what may be sent, and does by itself what is due. Only an answered refusal ends
 * the session.
 *
 * What anything means is decided in app/tokens; `KeyRefresh` and `KeyRevocation` ask the service and write down.
 */
export class TokenKeeper {
  #key: KeyCredentials
  readonly #deps: KeeperDeps
  #lifetimes: KeyLifetimes
  readonly #held: HeldKey
  readonly #refresh: KeyRefresh
  readonly #revocation: KeyRevocation
  #stopped = false
  #cancelTimer: () => void = () => {}

  constructor(key: KeyCredentials, store: TokenStore, deps: KeeperDeps, lifetimes: KeyLifetimes) {
    this.#deps = toldSafely(deps)
    this.#key = key
    this.#lifetimes = lifetimes
    const { clock, event, changed } = this.#deps
    const nowMs = () => this.#now()
    const held = new HeldKey(store, { clock, event, changed, nowMs })
    const ended = () => {
      this.#schedule()
      changed()
    }
    const flight = {
      ...this.#deps,
      held,
      nowMs,
      key: () => this.#key,
      lifetimes: () => this.#lifetimes,
      ended,
    }
    this.#held = held
    this.#refresh = new KeyRefresh(flight)
    this.#revocation = new KeyRevocation({ ...flight, refresh: this.#refresh })
  }

  start(): void {
    if (mayRefresh(this.#held.state)) void this.refresh()
    else this.#schedule()
  }

  stop(): void {
    this.#stopped = true
    this.#cancelTimer()
    this.#refresh.stop()
    this.#held.saver.stop()
  }

  /** Ends when nothing of this key is on its way to the service: an answer may bring a token to be stored. */
  async idle(): Promise<void> {
    await Promise.all([this.#refresh.flight, this.#revocation.flight])
  }

  /** After sleep, timers are late and tokens may have ended: decide again. */
  wake(): void {
    this.#schedule()
  }

  /** The access token to send, refreshed first where that is due. Never one request per caller. */
  async access(): Promise<Access> {
    if (mayRefresh(this.#held.state) && !isFresh(this.#held.state, this.#now())) {
      if (this.#refresh.flight) await this.#refresh.flight
      else if (this.#held.state.failures === 0) await this.refresh()
    }
    return this.usable()
  }

  /**
   * What may be sent at this very moment. Whoever waited for `access` asks this before sending: between the answer and
   * the one who waits for it, a person may have revoked.
   */
  usable(): Access {
    const { access, standing } = this.#held.state
    if (access !== undefined && isAlive(this.#held.state, this.#now()) && !isRevoking(this.#held.state)) {
      return { kind: 'token', value: access.value }
    }
    return { kind: 'none', why: standing.kind }
  }

  /** The service answered 401 to this token: it is not used again, and a refresh is due. */
  async rejected(value: string): Promise<void> {
    const { access, failures } = this.#held.state
    if (access?.value !== value) return
    const now = this.#now()
    // A service that refuses what it issued a moment ago will refuse the next one too.
    if (now - access.issuedAtMs < this.#lifetimes.schedule.floorMs) return
    // Told again about a token that is already out of use: the refresh that failed has its own time to retry.
    if (access.expiresAtMs <= now && !this.#refresh.flight && failures > 0) return
    this.#held.hold({
      ...this.#held.state,
      access: { ...access, expiresAtMs: Math.min(access.expiresAtMs, now) },
    })
    await this.refresh()
  }

  refresh(): Promise<RefreshOutcome> {
    this.#cancelTimer()
    return this.#refresh.run()
  }

  /** What "try now" means here: what is not saved, the failed refresh, or the revocation that was not confirmed. */
  async tryNow(): Promise<void> {
    this.#held.saver.tryNow()
    const { standing, failures } = this.#held.state
    if (standing.kind === 'revoke-unconfirmed') await this.revoke()
    else if (failures > 0 || standing.kind === 'sign-in-required') await this.refresh()
  }

  /** Revokes every refresh token of the key. From here on nothing uses the grant. */
  revoke(): Promise<RevocationAnswer> {
    this.#cancelTimer()
    return this.#revocation.run()
  }

  /**
   * The service confirmed a revocation of this API key that somebody asked for elsewhere: it ended these tokens too
   * (service 4.2). Whether that was news.
   */
  revokedElsewhere(): boolean {
    if (!this.#revocation.doneElsewhere()) return false
    this.#schedule()
    return true
  }

  /** A newer sign-in on this API key would be ended by a late retry: from here on only a person tries again. */
  standDown(): void {
    const wasWaiting = this.#held.state.standing.kind === 'revoke-unconfirmed'
    const next = stoodDown(this.#held.state)
    if (!wasWaiting) {
      this.#held.hold(next)
      return
    }
    this.#held.holdAndSave(next)
    this.#schedule()
    this.#deps.changed()
  }

  /** A person corrected what the key is sent with: it is tried at once. */
  async changeKey(key: KeyCredentials): Promise<RefreshOutcome> {
    this.#key = key
    // What is on its way went with the former one.
    await this.#refresh.flight
    return this.refresh()
  }

  /** It is sent otherwise from now on: what holds goes on, and only what the former one had stopped is tried at once. */
  async takeKey(key: KeyCredentials): Promise<void> {
    this.#key = key
    await this.#refresh.flight
    const { standing } = this.#held.state
    if (standing.kind === 'sign-in-required' && standing.cause === 'misconfigured') await this.refresh()
  }

  /** A person chose other ones; the token and its deadlines go on. */
  changeLifetimes(lifetimes: KeyLifetimes): void {
    this.#lifetimes = lifetimes
    this.#schedule()
  }

  get canUseService(): boolean {
    return this.#held.state.standing.kind === 'active' && isAlive(this.#held.state, this.#now())
  }

  accessSummary(): AccessSummary {
    return accessSummary(this.#held.state, this.#now(), this.#refresh.isAsking, this.#lifetimes)
  }

  refreshSummary(): RefreshSummary {
    const { stored, unsaved } = this.#held.saver
    const summary = refreshSummary(this.#held.state, stored, this.#refresh.countToday, this.#lifetimes)
    return unsaved === undefined ? summary : { ...summary, unsaved }
  }

  #schedule(): void {
    this.#cancelTimer()
    if (this.#stopped || this.#refresh.flight || this.#revocation.flight) return
    const step = nextStep(this.#held.state, this.#now(), this.#lifetimes)
    if (step === undefined) return
    const waitMs = Math.max(0, step.atMs - this.#now())
    this.#cancelTimer = this.#deps.clock.after(Math.min(waitMs, LONGEST_NAP_MS), () => {
      if (this.#now() < step.atMs) return this.#schedule()
      switch (step.kind) {
        case 'refresh':
          return void this.refresh()
        case 'revoke':
          return void this.revoke()
        case 'warn':
          this.#held.hold({ ...this.#held.state, warnedAheadMs: step.aheadMs })
          this.#deps.event({ kind: 'sign-in-due', endsAt: Math.round(step.endsAtMs) })
          return this.#schedule()
      }
    })
  }

  #now(): number {
    return this.#deps.timeline.now()
  }
}
