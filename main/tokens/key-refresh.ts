import { afterRefresh, isAboutToken, nextCandidate } from '../../app/tokens/after-refresh.ts'
import {
  isFromService,
  type KeyCredentials,
  processRefreshAnswer,
  type RefreshOutcome,
  refreshRequest,
} from '../../app/tokens/refresh-grant.ts'
import { isRevoking, type TokenRecord } from '../../app/tokens/token-state.ts'
import type { Clock } from '../ports/ports.ts'
import type { KeeperDeps } from './keeper.ts'
import type { TokenStore } from './token-store.ts'

export interface KeyRefreshDeps extends Omit<KeeperDeps, 'timeline'> {
  readonly store: TokenStore
  /** Epoch milliseconds. */
  readonly nowMs: () => number
  /** The current credentials. A person may have corrected the secret. */
  readonly key: () => KeyCredentials
  /** Called at the end of each refresh, whatever its outcome. The keeper then checks for due work. */
  readonly ended: () => void
}

const REFRESH_TIMEOUT_MS = 20_000

/**
 * If the sign-in host has not responded after this many milliseconds, it is reported as not responding. The
 * request continues.
 */
const UNANSWERED_MS = 10_000

/**
 * The refresh of one key's tokens, from the request to the stored response (service 4.1). Simultaneous
 * callers share one refresh.
 *
 * The intent is stored before a refresh token is sent. A new refresh token is stored before its access token
 * is used. After a lost response, the same token is sent once more, immediately, because the service accepts
 * a replaced token only for a short time.
 */
export class KeyRefresh {
  readonly #store: TokenStore
  readonly #deps: KeyRefreshDeps
  readonly #today: RefreshesToday
  #flight: Promise<RefreshOutcome> | undefined
  /**
   * Whether a response is awaited. `#flight` does not show this exactly, because it settles a moment after
   * the response.
   */
  #isAsking = false
  /** When the refresh in progress was requested, epoch ms. */
  #askedAtMs = 0
  #stopped = false
  #cancelUnanswered: () => void = () => {}

  constructor(deps: KeyRefreshDeps) {
    this.#store = deps.store
    this.#deps = deps
    this.#today = new RefreshesToday(deps.clock)
  }

  get flight(): Promise<RefreshOutcome> | undefined {
    return this.#flight
  }

  get isAsking(): boolean {
    return this.#isAsking
  }

  get countToday(): number {
    return this.#today.count
  }

  stop(): void {
    this.#stopped = true
    this.#cancelUnanswered()
  }

  run(): Promise<RefreshOutcome> {
    this.#flight ??= this.#attempt().finally(() => {
      this.#flight = undefined
      this.#isAsking = false
      this.#deps.ended()
    })
    return this.#flight
  }

  /** Sends the token once and applies the response. Call this only while no refresh is in progress. */
  async askOnce(): Promise<RefreshOutcome> {
    this.#askedAtMs = this.#deps.nowMs()
    return this.#settle(await this.#ask())
  }

  async #attempt(): Promise<RefreshOutcome> {
    if (this.#stopped) return { kind: 'not-sent', why: 'this key is no longer connected' }
    this.#store.readIfLost()
    if (isRevoking(this.#store.state)) return { kind: 'not-sent', why: 'the tokens are being revoked' }
    if (this.#store.state.token === undefined) return { kind: 'not-sent', why: 'no token to send' }
    this.#isAsking = true
    this.#askedAtMs = this.#deps.nowMs()
    this.#deps.changed()
    this.#store.takeNewest()
    const outcome = await this.#ask()
    if (outcome.kind !== 'unknown' || this.#store.state.lostAnswer) return this.#settle(outcome)
    this.#store.use({ ...this.#store.state, lostAnswer: true })
    // The token is sent again even while a revocation waits for this refresh, because only the newest token
    // can be revoked with certainty.
    if (this.#stopped) return this.#settle(outcome)
    return this.#settle(await this.#ask())
  }

  /**
   * Sends the token. If the service rejects it, sends the other tokens that may be valid, one after another.
   */
  async #ask(): Promise<RefreshOutcome> {
    let outcome = await this.#post()
    while (!this.#stopped && isAboutToken(outcome)) {
      const { state } = this.#store
      const token = state.token && nextCandidate(state.token)
      if (token === undefined) break
      this.#store.save({ ...state, token })
      outcome = await this.#post()
    }
    return outcome
  }

  async #post(): Promise<RefreshOutcome> {
    const { token } = this.#store.state
    if (token === undefined) return { kind: 'not-sent', why: 'no token to send' }
    const { clock, nowMs, reached } = this.#deps
    const askedAtMs = nowMs()
    this.#cancelUnanswered = clock.after(UNANSWERED_MS, () => reached(false, 'not responding', askedAtMs))
    // The request may have reached the service before the exception, so it is retried like a lost response.
    return this.#send(token)
      .catch((error: unknown): RefreshOutcome => {
        this.#deps.onListenerError?.(error)
        return { kind: 'unknown', why: 'the request failed unexpectedly' }
      })
      .finally(() => this.#cancelUnanswered())
  }

  /** Stores the intent, then sends the token once (service 4.1). */
  async #send({ refreshToken }: TokenRecord): Promise<RefreshOutcome> {
    const { http, secrets } = this.#deps
    const key = this.#deps.key()
    for (const secret of [key.clientSecret, refreshToken]) if (secret !== undefined) secrets.hide(secret)
    this.#store.intend()
    this.#store.noteSent()
    const request = refreshRequest(key, refreshToken)
    const outcome = processRefreshAnswer(
      await http.send({ method: 'POST', timeoutMs: REFRESH_TIMEOUT_MS, ...request }),
      request.url,
    )
    if ('refreshToken' in outcome && outcome.refreshToken !== undefined) {
      secrets.hide(outcome.refreshToken)
      this.#store.noteReceived(outcome.refreshToken)
    }
    if (outcome.kind !== 'renewed') return outcome
    secrets.hide(outcome.accessToken)
    return { ...outcome, scopes: outcome.scopes.map((scope) => secrets.clean(scope)) }
  }

  #settle(outcome: RefreshOutcome): RefreshOutcome {
    const { random, nowMs, reached } = this.#deps
    const now = nowMs()
    const { state, events } = afterRefresh(this.#store.state, outcome, now, random.next())
    const tookMs = Math.max(0, Math.round(now - this.#askedAtMs))
    this.#store.save(state)
    this.#isAsking = false
    if (this.#stopped) return outcome
    if (outcome.kind === 'renewed') this.#today.add()
    reached(isFromService(outcome), 'why' in outcome ? outcome.why : '')
    for (const event of events) {
      this.#deps.event(event.kind === 'token-refreshed' ? { ...event, tookMs } : event)
    }
    return outcome
  }
}

/** Number of days whose counts are kept. If the clock is set back, an earlier day becomes today again. */
const KEPT_DAYS = 3

/** Number of refreshes since local midnight. */
class RefreshesToday {
  readonly #clock: Pick<Clock, 'wallMs'>
  /** Number of refreshes on each day, by the day's local midnight. */
  readonly #perDay = new Map<number, number>()
  /** The current day, cached because every snapshot needs it. The calendar is consulted only once a day. */
  #day = { startMs: 0, endMs: 0 }

  constructor(clock: Pick<Clock, 'wallMs'>) {
    this.#clock = clock
  }

  add(): void {
    const today = this.#today()
    this.#perDay.set(today, this.count + 1)
    for (const day of [...this.#perDay.keys()].slice(0, -KEPT_DAYS)) this.#perDay.delete(day)
  }

  get count(): number {
    return this.#perDay.get(this.#today()) ?? 0
  }

  #today(): number {
    const nowMs = this.#clock.wallMs()
    if (nowMs < this.#day.startMs || nowMs >= this.#day.endMs) {
      const now = new Date(nowMs)
      const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate()]
      this.#day = { startMs: +new Date(year, month, date), endMs: +new Date(year, month, date + 1) }
    }
    return this.#day.startMs
  }
}
