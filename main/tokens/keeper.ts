import type { KeyReport } from '../../app/contract/events.ts'
import type { AccessSummary, RefreshSummary } from '../../app/contract/snapshot.ts'
import { pathOf } from '../../app/service/categories.ts'
import { withoutRevocationRetry } from '../../app/tokens/after-revocation.ts'
import { nextStep } from '../../app/tokens/next-step.ts'
import type { KeyCredentials, RefreshOutcome } from '../../app/tokens/refresh-grant.ts'
import { Rejections } from '../../app/tokens/rejections.ts'
import type { RevocationResult } from '../../app/tokens/revocation.ts'
import { ROTATION } from '../../app/tokens/schedule.ts'
import { isAlive, isFresh, isRevoking, mayRefresh } from '../../app/tokens/token-state.ts'
import { accessSummary, refreshSummary } from '../../app/tokens/token-summaries.ts'
import { within } from '../network/deadline.ts'
import type { Clock, Http, Random } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { Timeline } from '../ports/timeline.ts'
import { KeyRefresh } from './key-refresh.ts'
import { KeyRevocation } from './key-revocation.ts'
import type { TokenStore } from './token-store.ts'

/** The ports and listeners of one key's tokens. */
export interface KeeperDeps {
  readonly http: Http
  /**
   * Receives each new token, and each token before it is sent, so that tokens can be removed from logs and
   * texts.
   */
  readonly secrets: Secrets
  readonly clock: Clock
  readonly random: Random
  readonly timeline: Timeline
  readonly changed: () => void
  readonly event: (event: KeyReport) => void
  /** Reports whether the sign-in host was reached. `sinceMs` is when it stopped responding. */
  readonly reached: (ok: boolean, why: string, sinceMs?: number) => void
  /** Called with exceptions of listeners. They are bugs, which must not affect the tokens. */
  readonly onListenerError?: (cause: unknown) => void
}

/**
 * Why there is no access token now. `why`: the standing of the key. `failure`: why its latest refresh failed.
 */
export interface NoAccess {
  readonly kind: 'none'
  readonly why: string
  readonly failure?: string
  /**
   * The earliest time of the next attempt, epoch ms. A request may cause an attempt before the scheduled one.
   */
  readonly retryAtMs?: number
}

export type Access = { readonly kind: 'token'; readonly value: string } | NoAccess

/** The access token of a key, for senders of requests. */
export interface Bearer {
  readonly access: () => Promise<Access>
  /** See `TokenKeeper.usable`. */
  readonly usable: () => Access
  /** See `TokenKeeper.rejected`. */
  readonly rejected: (token: string, pathAndQuery: string) => Promise<void>
  /** See `TokenKeeper.accepted`. */
  readonly accepted: (token: string, pathAndQuery: string) => void
}

/** A bearer that also shows whether its access token is being replaced. */
export interface WatchedBearer extends Bearer {
  readonly isRefreshing: () => boolean
}

/**
 * Maximum time in milliseconds that a caller waits for a refresh after a 401. If the refresh takes longer,
 * the caller continues with the 401.
 */
const MAX_REPLACEMENT_MS = 10_000

/** Maximum time in milliseconds between two checks for due work, because timers stop during sleep. */
const MAX_WAIT_MS = 10_000

/**
 * Owns the tokens of one key. Provides the access token, refreshes it before its expiry, and revokes the
 * refresh tokens. Only a response from the service ends the session (service 4.1).
 *
 * The rules are in app/tokens. `KeyRefresh` and `KeyRevocation` call the service. `TokenStore` holds the
 * state.
 */
export class TokenKeeper {
  #key: KeyCredentials
  readonly #deps: KeeperDeps
  /** Time after which a rotating refresh token may be rejected. Only displayed. */
  rotationMs: number
  readonly #store: TokenStore
  readonly #refresh: KeyRefresh
  readonly #revocation: KeyRevocation
  readonly #rejections = new Rejections()
  #stopped = false
  #cancelTimer: () => void = () => {}

  constructor(key: KeyCredentials, store: TokenStore, deps: KeeperDeps, rotationMs = ROTATION.rotationMs) {
    this.#deps = safeCallbacks(deps)
    this.#key = key
    this.rotationMs = rotationMs
    const { clock, event, changed } = this.#deps
    const nowMs = () => this.#now()
    store.open({ clock, event, changed, nowMs })
    const ended = () => {
      this.#schedule()
      changed()
    }
    const flight = {
      ...this.#deps,
      store,
      nowMs,
      key: () => this.#key,
      ended,
    }
    this.#store = store
    this.#refresh = new KeyRefresh(flight)
    this.#revocation = new KeyRevocation({ ...flight, refresh: this.#refresh })
  }

  start(): void {
    if (mayRefresh(this.#store.state)) void this.refresh()
    else this.#schedule()
  }

  stop(): void {
    this.#stopped = true
    this.#cancelTimer()
    this.#refresh.stop()
    this.#store.stop()
  }

  /**
   * Resolves when no refresh or revocation is pending. A pending response may contain a token that must be
   * stored.
   */
  async idle(): Promise<void> {
    await Promise.all([this.#refresh.flight, this.#revocation.flight])
  }

  /** Checks for due work after sleep, because timers are late and tokens may have expired. */
  wake(): void {
    this.#schedule()
  }

  /** The access token to send, refreshed first if necessary. Simultaneous callers share one refresh. */
  access(): Promise<Access> {
    return this.#access({ mayRefreshNow: this.#store.state.failures === 0 })
  }

  /** Like `access`, for a program's request, which may retry a failed refresh ahead of schedule. */
  accessForProgram(): Promise<Access> {
    return this.#access({ mayRefreshNow: this.#mayRetry })
  }

  async #access({ mayRefreshNow }: { readonly mayRefreshNow: boolean }): Promise<Access> {
    const { state } = this.#store
    const isDue = mayRefresh(state) && !isFresh(state, this.#now())
    if (isDue && (this.#refresh.flight || mayRefreshNow)) await this.refresh()
    return this.usable()
  }

  /**
   * The access token that may be sent now. Call this just before sending a request that waited for `access`,
   * because a person may have revoked the key meanwhile.
   */
  usable(): Access {
    const { state } = this.#store
    const { access, standing, failure } = state
    if (access !== undefined && isAlive(state, this.#now()) && !isRevoking(state)) {
      return { kind: 'token', value: access.value }
    }
    if (!mayRefresh(state) || failure === undefined) return { kind: 'none', why: standing.kind }
    const { retryAtMs = 0, wantedAtMs = retryAtMs } = state
    return { kind: 'none', why: standing.kind, failure, retryAtMs: Math.min(retryAtMs, wantedAtMs) }
  }

  /**
   * Handles a 401 for a request with this access token. Refreshes if that may help. Resolves when another
   * token is in use, or if no other token is expected soon.
   *
   * Until then, the rejected token stays in use, because other paths may accept it.
   */
  async rejected(value: string, pathAndQuery: string): Promise<void> {
    const { access, failures } = this.#store.state
    if (access?.value !== value || !mayRefresh(this.#store.state)) return
    const isDue = this.#rejections.rejected(value, pathOf(pathAndQuery), this.#now())
    // A failed refresh has its own retry times.
    const mayRefreshNow = failures > 0 ? this.#mayRetry : isDue
    if (!this.#refresh.flight && !mayRefreshNow) return
    await within(this.#deps.clock, MAX_REPLACEMENT_MS, this.refresh())
  }

  /** Records that a response accepted an access token. */
  accepted(value: string, pathAndQuery: string): void {
    this.#rejections.accepted(value, pathOf(pathAndQuery))
  }

  /** Whether a refresh is in progress. The service may then reject the former token at any time. */
  get isRefreshing(): boolean {
    return this.#refresh.flight !== undefined
  }

  refresh(): Promise<RefreshOutcome> {
    this.#cancelTimer()
    return this.#refresh.run()
  }

  /**
   * Immediately retries anything pending: an unsaved token, a failed refresh, or an unconfirmed revocation.
   *
   * With `ofAllKeys`, a revocation that is older than a sign-in is not repeated, because it would end that
   * sign-in. See `suspendRevocationRetry`.
   */
  async tryNow({ ofAllKeys = false } = {}): Promise<void> {
    this.#store.retry()
    const { standing, failures, mayRevokeByItself } = this.#store.state
    if (standing.kind === 'revoke-unconfirmed') {
      if (mayRevokeByItself || !ofAllKeys) await this.revoke()
    } else if (failures > 0 || standing.kind === 'sign-in-required') await this.refresh()
  }

  /** Revokes every refresh token of the key (service 4.2). No token is used after this call. */
  revoke(): Promise<RevocationResult> {
    this.#cancelTimer()
    return this.#revocation.run()
  }

  /**
   * Records a confirmed revocation of this API key that another profile requested. The revocation ended these
   * tokens too (service 4.2). Returns false if they were already revoked or are being revoked.
   */
  revokedElsewhere(): boolean {
    if (!this.#revocation.doneElsewhere()) return false
    this.#schedule()
    return true
  }

  /** Stops the retries of a revocation, because a late retry would end a newer sign-in with this API key. */
  suspendRevocationRetry(): void {
    const wasWaiting = this.#store.state.standing.kind === 'revoke-unconfirmed'
    const next = withoutRevocationRetry(this.#store.state)
    if (!wasWaiting) {
      this.#store.use(next)
      return
    }
    this.#store.save(next)
    this.#schedule()
    this.#deps.changed()
  }

  /** Adopts a corrected API key or secret, and tries it immediately. */
  async changeKey(key: KeyCredentials): Promise<RefreshOutcome> {
    this.#key = key
    // A request in flight was sent with the former secret.
    await this.#refresh.flight
    return this.refresh()
  }

  /** Adopts another API key or secret. Tries it now only if the service rejected the current one. */
  async takeKey(key: KeyCredentials): Promise<void> {
    this.#key = key
    await this.#refresh.flight
    const { standing } = this.#store.state
    if (standing.kind === 'sign-in-required' && standing.cause === 'misconfigured') await this.refresh()
  }

  get canUseService(): boolean {
    return this.#store.state.standing.kind === 'active' && isAlive(this.#store.state, this.#now())
  }

  accessSummary(): AccessSummary {
    return accessSummary(this.#store.state, this.#now(), this.#refresh.isAsking)
  }

  refreshSummary(): RefreshSummary {
    const { newest, unsaved } = this.#store
    const summary = refreshSummary(this.#store.state, newest, this.#refresh.countToday, this.rotationMs)
    return unsaved === undefined ? summary : { ...summary, unsaved }
  }

  /** Whether a request that needs another token may retry a failed refresh now. */
  get #mayRetry(): boolean {
    return this.#now() >= (this.#store.state.wantedAtMs ?? 0)
  }

  #schedule(): void {
    this.#cancelTimer()
    if (this.#stopped || this.#refresh.flight || this.#revocation.flight) return
    const step = nextStep(this.#store.state, this.#now())
    if (step === undefined) return
    const waitMs = Math.max(0, step.atMs - this.#now())
    this.#cancelTimer = this.#deps.clock.after(Math.min(waitMs, MAX_WAIT_MS), () => {
      if (this.#now() < step.atMs) return this.#schedule()
      switch (step.kind) {
        case 'refresh':
          return void this.refresh()
        case 'revoke':
          return void this.revoke()
        case 'warn':
          this.#store.use({ ...this.#store.state, warnedAheadMs: step.aheadMs })
          this.#deps.event({ kind: 'sign-in-due', endsAt: Math.round(step.endsAtMs) })
          return this.#schedule()
      }
    })
  }

  #now(): number {
    return this.#deps.timeline.now()
  }
}

/** The dependencies with callbacks that never throw. A bug in a listener must not affect the tokens. */
function safeCallbacks(deps: KeeperDeps): KeeperDeps {
  const safely = (call: () => void) => {
    try {
      call()
    } catch (error) {
      deps.onListenerError?.(error)
    }
  }
  return {
    ...deps,
    changed: () => safely(deps.changed),
    event: (event) => safely(() => deps.event(event)),
    reached: (...reached) => safely(() => deps.reached(...reached)),
  }
}
