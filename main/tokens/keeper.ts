import type { MonitorEvent } from '../../app/contract/events.ts'
import type { AccessSummary, RefreshSummary } from '../../app/contract/snapshot.ts'
import {
  type KeyCredentials,
  processRefreshAnswer,
  type RefreshOutcome,
  refreshRequest,
} from '../../app/tokens/refresh-grant.ts'
import { type RefreshSchedule, refreshDueAt, retryWaitMs } from '../../app/tokens/schedule.ts'
import type { Clock, Http, Random } from '../ports/ports.ts'
import type { Timeline } from '../timeline.ts'
import { revokeTokens } from './revocation.ts'

export interface KeeperDeps {
  readonly http: Http
  readonly clock: Clock
  readonly random: Random
  readonly timeline: Timeline
  readonly changed: () => void
  readonly event: (event: MonitorEvent) => void
  /** Whether the sign-in host could be reached, for the one place that tells people so. */
  readonly reached: (ok: boolean, why: string) => void
}

export interface KeeperOptions {
  readonly schedule: RefreshSchedule
  /** After this a rotating refresh token may be refused (service.md 8.4); shown, never a verdict. */
  readonly rotationMs: number
  /** From sign-in to the end of a rotating key's session (service.md 8.4). */
  readonly absoluteMs: number
}

export const ROTATION = { rotationMs: 30 * 60_000, absoluteMs: 24 * 3_600_000 } as const

/** An access token, or why there is none now. */
export type Access =
  | { readonly kind: 'token'; readonly value: string }
  | { readonly kind: 'none'; readonly why: string }

interface AccessToken {
  readonly value: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
  readonly scopes: readonly string[]
}

type Session =
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'active' }
  | { readonly kind: 'sign-in-required'; readonly reason: string }
  | { readonly kind: 'revoking' }
  | { readonly kind: 'revoke-unconfirmed'; readonly reason: string; readonly retryAtMs: number }
  | { readonly kind: 'revoked'; readonly atMs: number }

const REFRESH_TIMEOUT_MS = 20_000

/**
 * Owns the tokens of one key. Callers share one refresh; only an answered refusal ends the session.
 *
 * The refresh token is sent once per deliberate attempt. When its answer is lost the same token is tried
 * again, once at once (a service's overlap is short), then on the ladder, until the service answers.
 */
export class TokenKeeper {
  readonly #key: KeyCredentials
  readonly #deps: KeeperDeps
  readonly #options: KeeperOptions
  readonly #signedInAtMs: number
  #refreshToken: string
  #session: Session = { kind: 'unconfirmed' }
  #access: AccessToken | undefined
  #rotatedAtMs: number | undefined
  #failures = 0
  #retryAtMs: number | undefined
  /** Set by a lost answer, which is tried again at once only the first time; cleared by a renewal. */
  #lostAnswer = false
  /** A default key (service.md 5.6): answers came without a new refresh token, so that losing one is harmless. */
  #keepsToken = false
  #mayRevokeByItself = true
  #flight: Promise<RefreshOutcome> | undefined
  #revocation: Promise<RevokeResult> | undefined
  #refreshes: number[] = []
  #stopped = false
  #cancelTimer: () => void = () => {}

  constructor(key: KeyCredentials, refreshToken: string, deps: KeeperDeps, options: KeeperOptions) {
    this.#key = key
    this.#refreshToken = refreshToken
    this.#deps = deps
    this.#options = options
    this.#signedInAtMs = deps.timeline.now()
  }

  start(): void {
    void this.refresh()
  }

  stop(): void {
    this.#stopped = true
    this.#cancelTimer()
  }

  /** After sleep, timers are late and tokens may have ended: decide again. */
  wake(): void {
    this.#schedule()
  }

  /** The access token to send, refreshed first where that is due. Never one request per caller. */
  async access(): Promise<Access> {
    if (this.#session.kind === 'active' || this.#session.kind === 'unconfirmed') {
      if (this.#isFresh()) return this.#held()
      if (this.#flight) await this.#flight
      else if (this.#failures === 0) await this.refresh()
      return this.#held()
    }
    return this.#held()
  }

  /** The service answered 401 to this token: it is not used again, and a refresh is due. */
  async rejected(value: string): Promise<void> {
    const held = this.#access
    if (held?.value !== value) return
    const now = this.#deps.timeline.now()
    // A service that refuses what it issued a moment ago will refuse the next one too.
    if (now - held.issuedAtMs < this.#options.schedule.floorMs) return
    // Told again about a token that is already out of use: the refresh that failed has its own time to retry.
    if (held.expiresAtMs <= now && !this.#flight && this.#failures > 0) return
    this.#access = { ...held, expiresAtMs: Math.min(held.expiresAtMs, now) }
    await this.refresh()
  }

  refresh(): Promise<RefreshOutcome> {
    this.#flight ??= this.#attempt().finally(() => {
      this.#flight = undefined
      this.#schedule()
      this.#deps.changed()
    })
    return this.#flight
  }

  /** What "try now" means here: the failed refresh, or the revocation that was not confirmed. */
  async tryNow(): Promise<void> {
    if (this.#session.kind === 'revoke-unconfirmed') await this.revoke()
    else if (this.#failures > 0 || this.#session.kind === 'sign-in-required') await this.refresh()
  }

  /**
   * Revokes every refresh token of the key. From here on nothing uses the grant.
   *
   * A refresh under way is waited for: revoking the token it replaces would leave the new one in doubt.
   */
  revoke(): Promise<RevokeResult> {
    this.#revocation ??= this.#revokeOnce().finally(() => {
      this.#revocation = undefined
      this.#schedule()
      this.#deps.changed()
    })
    return this.#revocation
  }

  /** A newer sign-in on this API key would be ended by a late retry: from here on only a person tries again. */
  standDown(): void {
    this.#mayRevokeByItself = false
    if (this.#session.kind !== 'revoke-unconfirmed') return
    this.#session = { ...this.#session, retryAtMs: Number.POSITIVE_INFINITY }
    this.#schedule()
    this.#deps.changed()
  }

  get canUseService(): boolean {
    return this.#session.kind === 'active' && this.#access !== undefined && this.#isAlive()
  }

  accessSummary(): AccessSummary {
    const held = this.#access
    const gone = this.#session.kind === 'revoked' || this.#session.kind === 'sign-in-required'
    const state = this.#flight
      ? 'refreshing'
      : held === undefined || gone
        ? 'none'
        : this.#isAlive()
          ? 'valid'
          : 'expired'
    if (!held || gone) return { state, scopes: [] }
    return {
      state,
      issuedAt: Math.round(held.issuedAtMs),
      expiresAt: Math.round(held.expiresAtMs),
      refreshAt: Math.round(this.#dueAt()),
      scopes: held.scopes,
    }
  }

  refreshSummary(): RefreshSummary {
    const rotating = this.#rotatedAtMs !== undefined
    const session = this.#session
    const reason = 'reason' in session ? session.reason : undefined
    return {
      state: session.kind === 'active' ? 'valid' : session.kind,
      rotating,
      ...(this.#rotatedAtMs !== undefined && {
        rotatedAt: Math.round(this.#rotatedAtMs),
        rotatesBy: Math.round(this.#rotatedAtMs + this.#options.rotationMs),
        endsAt: Math.round(this.#signedInAtMs + this.#options.absoluteMs),
      }),
      stored: 'memory',
      ...(reason !== undefined && { reason }),
      refreshesToday: this.#refreshesToday(),
      ...(session.kind === 'revoked' && { revokedAt: Math.round(session.atMs) }),
      ...(session.kind === 'revoke-unconfirmed' &&
        Number.isFinite(session.retryAtMs) && { retryAt: Math.round(session.retryAtMs) }),
    }
  }

  async #attempt(): Promise<RefreshOutcome> {
    this.#cancelTimer()
    if (this.#stopped) return { kind: 'not-sent', why: 'this key is not connected any more' }
    if (this.#isRevoking()) return { kind: 'not-sent', why: 'the tokens are being revoked' }
    this.#deps.changed()
    const outcome = await this.#post()
    if (outcome.kind !== 'unknown') return this.#settle(outcome)
    if (outcome.refreshToken !== undefined) this.#adopt(outcome.refreshToken)
    const triedAtOnce = this.#lostAnswer
    this.#lostAnswer = true
    if (triedAtOnce || this.#stopped || this.#isRevoking()) return this.#settle(outcome)
    return this.#settle(await this.#post())
  }

  async #post(): Promise<RefreshOutcome> {
    const request = refreshRequest(this.#key, this.#refreshToken)
    return processRefreshAnswer(
      await this.#deps.http.send({ method: 'POST', timeoutMs: REFRESH_TIMEOUT_MS, ...request }),
    )
  }

  #settle(outcome: RefreshOutcome): RefreshOutcome {
    if (this.#stopped) return outcome
    const now = this.#deps.timeline.now()
    if (outcome.kind === 'renewed') {
      const rotated = outcome.refreshToken !== undefined && outcome.refreshToken !== this.#refreshToken
      if (outcome.refreshToken !== undefined) this.#adopt(outcome.refreshToken)
      else if (this.#rotatedAtMs === undefined) this.#keepsToken = true
      const expiresAtMs = now + outcome.expiresInSeconds * 1000
      this.#access = { value: outcome.accessToken, issuedAtMs: now, expiresAtMs, scopes: outcome.scopes }
      this.#failures = 0
      this.#lostAnswer = false
      this.#retryAtMs = undefined
      this.#refreshes = [...this.#refreshes.slice(-2000), this.#deps.clock.wallMs()]
      if (!this.#isRevoking()) this.#session = { kind: 'active' }
      this.#deps.reached(true, '')
      this.#deps.event({ kind: 'token-refreshed', rotated, expiresAt: Math.round(expiresAtMs) })
      return outcome
    }
    if (outcome.kind === 'refused' || outcome.kind === 'misconfigured') {
      this.#deps.reached(true, '')
      this.#deps.event({ kind: 'token-refresh-failed', outcome: outcome.kind })
      if (!this.#isRevoking()) this.#end(this.#reasonFor(outcome))
      return outcome
    }
    this.#failures += 1
    const asked = outcome.kind === 'later' ? outcome.retryAfterSeconds : undefined
    this.#retryAtMs =
      now + retryWaitMs(this.#options.schedule, this.#failures, this.#deps.random.next(), asked)
    if (outcome.kind === 'unknown' && outcome.refreshToken !== undefined) this.#adopt(outcome.refreshToken)
    this.#deps.reached(outcome.kind === 'later', outcome.why)
    this.#deps.event({
      kind: 'token-refresh-failed',
      outcome: outcome.kind,
      retryAt: Math.round(this.#retryAtMs),
    })
    return outcome
  }

  #reasonFor(outcome: Extract<RefreshOutcome, { kind: 'refused' | 'misconfigured' }>): string {
    if (outcome.kind === 'misconfigured') return outcome.why
    if (this.#lostAnswer && !this.#keepsToken) return 'sign in again: the answer was lost'
    const ended =
      this.#rotatedAtMs !== undefined &&
      this.#deps.timeline.now() >= this.#signedInAtMs + this.#options.absoluteMs
    return ended ? "the refresh token's 24 hours ended" : outcome.why
  }

  #end(reason: string): void {
    this.#session = { kind: 'sign-in-required', reason }
    this.#access = undefined
    this.#retryAtMs = undefined
    this.#deps.event({ kind: 'sign-in-required', reason })
  }

  #adopt(refreshToken: string): void {
    if (refreshToken === this.#refreshToken) return
    this.#refreshToken = refreshToken
    this.#keepsToken = false
    this.#rotatedAtMs = this.#deps.timeline.now()
  }

  async #revokeOnce(): Promise<RevokeResult> {
    if (this.#session.kind === 'revoked') return { kind: 'confirmed' }
    this.#session = { kind: 'revoking' }
    this.#cancelTimer()
    this.#deps.changed()
    if (this.#flight) await this.#flight
    this.#access = undefined
    const result = await revokeTokens(this.#deps.http, this.#key, this.#refreshToken)
    const now = this.#deps.timeline.now()
    if (result.kind === 'confirmed') {
      this.#session = { kind: 'revoked', atMs: now }
      this.#deps.event({ kind: 'revoked' })
      return result
    }
    // A refusal is final until somebody asks again; anything else is tried again by itself.
    const retryAtMs =
      result.kind === 'refused' || !this.#mayRevokeByItself
        ? Number.POSITIVE_INFINITY
        : now + retryWaitMs(this.#options.schedule, 5, this.#deps.random.next(), undefined)
    this.#session = { kind: 'revoke-unconfirmed', reason: result.why, retryAtMs }
    this.#deps.event({
      kind: 'revoke-unconfirmed',
      reason: result.why,
      ...(Number.isFinite(retryAtMs) && { retryAt: Math.round(retryAtMs) }),
    })
    return result
  }

  #schedule(): void {
    this.#cancelTimer()
    if (this.#stopped || this.#flight || this.#revocation) return
    const session = this.#session
    const at =
      session.kind === 'revoke-unconfirmed'
        ? session.retryAtMs
        : session.kind === 'active' || session.kind === 'unconfirmed'
          ? (this.#retryAtMs ?? this.#dueAt())
          : undefined
    if (at === undefined || !Number.isFinite(at)) return
    const waitMs = Math.max(0, at - this.#deps.timeline.now())
    // Looked at again at least once a minute: sleep stops timers, and the time left has to be decided again.
    this.#cancelTimer = this.#deps.clock.after(Math.min(waitMs, 60_000), () => {
      if (this.#deps.timeline.now() < at) this.#schedule()
      else if (session.kind === 'revoke-unconfirmed') void this.revoke()
      else void this.refresh()
    })
  }

  #dueAt(): number {
    const held = this.#access
    if (!held) return this.#deps.timeline.now()
    const now = this.#deps.timeline.now()
    if (held.expiresAtMs <= now) return now
    return refreshDueAt(this.#options.schedule, held.issuedAtMs, held.issuedAtMs, held.expiresAtMs)
  }

  #isRevoking(): boolean {
    return ['revoking', 'revoke-unconfirmed', 'revoked'].includes(this.#session.kind)
  }

  #isAlive(): boolean {
    return this.#access !== undefined && this.#access.expiresAtMs > this.#deps.timeline.now()
  }

  /** Good for a request that takes a few seconds. */
  #isFresh(): boolean {
    return this.#access !== undefined && this.#access.expiresAtMs - this.#deps.timeline.now() > 5_000
  }

  #held(): Access {
    const held = this.#access
    if (held && this.#isAlive() && !this.#isRevoking()) return { kind: 'token', value: held.value }
    return { kind: 'none', why: this.#session.kind }
  }

  #refreshesToday(): number {
    const today = new Date(this.#deps.clock.wallMs()).toDateString()
    return this.#refreshes.filter((at) => new Date(at).toDateString() === today).length
  }
}

export type RevokeResult = Awaited<ReturnType<typeof revokeTokens>>
