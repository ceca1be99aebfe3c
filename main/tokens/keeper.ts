import type { MonitorEvent } from '../../app/contract/events.ts'
import type { AccessSummary, RefreshSummary } from '../../app/contract/snapshot.ts'
import { adopted, afterRefresh, type KeyLifetimes } from '../../app/tokens/after-refresh.ts'
import {
  afterRevocation,
  isInDoubt,
  type RevocationAnswer,
  revocationAfter,
  revocationAsked,
  revocationForeseen,
  stoodDown,
} from '../../app/tokens/after-revocation.ts'
import { isAlive, isFresh, isRevoking, type KeyState, mayRefresh } from '../../app/tokens/key-state.ts'
import { nextStep } from '../../app/tokens/next-step.ts'
import { isOfTheService, type KeyCredentials, type RefreshOutcome } from '../../app/tokens/refresh-grant.ts'
import { accessSummary, refreshSummary } from '../../app/tokens/token-summaries.ts'
import type { Clock, Http, Random } from '../ports/ports.ts'
import type { Timeline } from '../timeline.ts'
import type { TokenStore } from '../vault/token-store.ts'
import { RefreshesToday } from './refreshes-today.ts'
import { revokeTokens } from './revocation.ts'
import { startState } from './start-state.ts'
import { sureStore } from './sure-store.ts'
import { TokenSaver } from './token-saver.ts'
import { toldSafely } from './told-safely.ts'
import { newestOf, postWrittenAhead } from './write-ahead.ts'

export interface KeeperDeps {
  readonly http: Http
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

/** A host that is there answers within seconds: a person hears of one that does not before the deadline is over. */
const UNANSWERED_MS = 10_000

/** Sleep stops timers: whatever is due, the time left is looked at again at least this often. */
const LONGEST_NAP_MS = 60_000

/**
 * Owns the tokens of one key. Callers share one refresh; only an answered refusal ends the session.
 *
 * What anything means is decided in app/tokens; this asks the service, writes down, and waits. A refresh
 * token is sent once per deliberate attempt, after the intent to do so is stored; a new one is stored before
 * the access token that came with it is used. When an answer is lost the same token is tried again, once at
 * once (a service's overlap is short), then on the ladder, until the service answers.
 */
export class TokenKeeper {
  #key: KeyCredentials
  readonly #store: TokenStore
  readonly #deps: KeeperDeps
  #lifetimes: KeyLifetimes
  readonly #saver: TokenSaver
  readonly #refreshes: RefreshesToday
  #state: KeyState
  #flight: Promise<RefreshOutcome> | undefined
  #revocation: Promise<RevocationAnswer> | undefined
  /** A refresh is on its way and its answer has not been taken in: its flight ends a moment later. */
  #isAsking = false
  #stopped = false
  #cancelTimer: () => void = () => {}
  #cancelUnanswered: () => void = () => {}

  constructor(key: KeyCredentials, store: TokenStore, deps: KeeperDeps, lifetimes: KeyLifetimes) {
    const sure = sureStore(store)
    this.#deps = toldSafely(deps)
    const { clock, event, changed } = this.#deps
    this.#key = key
    this.#store = sure
    this.#lifetimes = lifetimes
    this.#saver = new TokenSaver(sure, {
      clock,
      event,
      changed,
      nowMs: () => this.#now(),
      state: () => this.#state,
    })
    this.#refreshes = new RefreshesToday(clock)
    this.#state = startState(sure.read(), this.#now())
  }

  start(): void {
    if (mayRefresh(this.#state)) void this.refresh()
    else this.#schedule()
  }

  stop(): void {
    this.#stopped = true
    this.#cancelTimer()
    this.#cancelUnanswered()
    this.#saver.stop()
  }

  /** Ends when nothing of this key is on its way to the service: an answer may bring a token to be stored. */
  async idle(): Promise<void> {
    await Promise.all([this.#flight, this.#revocation])
  }

  /** After sleep, timers are late and tokens may have ended: decide again. */
  wake(): void {
    this.#schedule()
  }

  /** The access token to send, refreshed first where that is due. Never one request per caller. */
  async access(): Promise<Access> {
    if (mayRefresh(this.#state) && !isFresh(this.#state, this.#now())) {
      if (this.#flight) await this.#flight
      else if (this.#state.failures === 0) await this.refresh()
    }
    return this.#held()
  }

  /** The service answered 401 to this token: it is not used again, and a refresh is due. */
  async rejected(value: string): Promise<void> {
    const { access, failures } = this.#state
    if (access?.value !== value) return
    const now = this.#now()
    // A service that refuses what it issued a moment ago will refuse the next one too.
    if (now - access.issuedAtMs < this.#lifetimes.schedule.floorMs) return
    // Told again about a token that is already out of use: the refresh that failed has its own time to retry.
    if (access.expiresAtMs <= now && !this.#flight && failures > 0) return
    this.#state = { ...this.#state, access: { ...access, expiresAtMs: Math.min(access.expiresAtMs, now) } }
    await this.refresh()
  }

  refresh(): Promise<RefreshOutcome> {
    this.#flight ??= this.#attempt().finally(() => {
      this.#flight = undefined
      this.#isAsking = false
      this.#schedule()
      this.#deps.changed()
    })
    return this.#flight
  }

  /** What "try now" means here: what is not saved, the failed refresh, or the revocation that was not confirmed. */
  async tryNow(): Promise<void> {
    this.#saver.tryNow()
    const { standing, failures } = this.#state
    if (standing.kind === 'revoke-unconfirmed') await this.revoke()
    else if (failures > 0 || standing.kind === 'sign-in-required') await this.refresh()
  }

  /**
   * Revokes every refresh token of the key. From here on nothing uses the grant.
   *
   * A refresh under way is waited for, and one whose answer was lost is asked about first: revoking the token it replaces
   * would leave the new one in doubt.
   */
  revoke(): Promise<RevocationAnswer> {
    this.#revocation ??= this.#revokeOnce().finally(() => {
      this.#revocation = undefined
      this.#schedule()
      this.#deps.changed()
    })
    return this.#revocation
  }

  /**
   * The service confirmed a revocation of this API key that somebody asked for elsewhere: it ended these tokens too
   * (service.md 4.2). Whether that was news.
   */
  revokedElsewhere(): boolean {
    if (this.#revocation || this.#state.standing.kind === 'revoked') return false
    const { schedule } = this.#lifetimes
    const { state, events } = afterRevocation(this.#state, { kind: 'confirmed' }, this.#now(), 0, schedule)
    this.#saver.save(state)
    this.#state = state
    this.#schedule()
    for (const event of events) this.#deps.event(event)
    return true
  }

  /** A newer sign-in on this API key would be ended by a late retry: from here on only a person tries again. */
  standDown(): void {
    const wasWaiting = this.#state.standing.kind === 'revoke-unconfirmed'
    this.#state = stoodDown(this.#state)
    if (!wasWaiting) return
    this.#saver.save(this.#state)
    this.#schedule()
    this.#deps.changed()
  }

  /** A person corrected what the key is sent with: it is tried at once. */
  async changeKey(key: KeyCredentials): Promise<RefreshOutcome> {
    this.#key = key
    // What is on its way went with the former one.
    await this.#flight
    return this.refresh()
  }

  /** A person chose other ones; the token and its deadlines go on. */
  changeLifetimes(lifetimes: KeyLifetimes): void {
    this.#lifetimes = lifetimes
    this.#schedule()
  }

  get canUseService(): boolean {
    return this.#state.standing.kind === 'active' && isAlive(this.#state, this.#now())
  }

  accessSummary(): AccessSummary {
    return accessSummary(this.#state, this.#now(), this.#isAsking, this.#lifetimes)
  }

  refreshSummary(): RefreshSummary {
    const { stored, unsaved } = this.#saver
    const summary = refreshSummary(this.#state, stored, this.#refreshes.count, this.#lifetimes)
    return unsaved === undefined ? summary : { ...summary, unsaved }
  }

  async #attempt(): Promise<RefreshOutcome> {
    this.#cancelTimer()
    if (this.#stopped) return { kind: 'not-sent', why: 'this key is not connected any more' }
    // What could not be read at the start, as behind another program's lock, may be readable now.
    if (this.#state.token === undefined) this.#state = startState(this.#store.read(), this.#now())
    if (isRevoking(this.#state)) return { kind: 'not-sent', why: 'the tokens are being revoked' }
    if (this.#state.token === undefined) return { kind: 'not-sent', why: 'there is no token to send' }
    this.#isAsking = true
    this.#deps.changed()
    this.#state = newestOf(this.#state, this.#store, this.#now())
    const outcome = await this.#post()
    if (outcome.kind !== 'unknown' || this.#state.lostAnswer) return this.#settle(outcome)
    this.#lost(outcome)
    // Also while a revocation waits for it: only the newest token can be told to end with certainty.
    if (this.#stopped) return this.#settle(outcome)
    return this.#settle(await this.#post())
  }

  async #post(): Promise<RefreshOutcome> {
    const { token } = this.#state
    if (token === undefined) return { kind: 'not-sent', why: 'there is no token to send' }
    const askedAtMs = this.#now()
    this.#cancelUnanswered = this.#deps.clock.after(UNANSWERED_MS, () =>
      this.#deps.reached(false, 'not answering', askedAtMs),
    )
    const sending = postWrittenAhead(token, {
      key: this.#key,
      store: this.#store,
      http: this.#deps.http,
      nowMs: () => this.#now(),
      problem: (what) => this.#saver.problem(what),
    })
    // Nobody knows how far it got: it is tried again as after a lost answer, which costs nothing that still works.
    return sending
      .catch((error: unknown): RefreshOutcome => {
        this.#deps.broke?.(error)
        return { kind: 'unknown', why: 'the request failed unexpectedly' }
      })
      .finally(() => this.#cancelUnanswered())
  }

  /** A token that came in an answer of no other use is stored before anything else is tried. */
  #lost(outcome: Extract<RefreshOutcome, { kind: 'unknown' }>): void {
    const { token } = this.#state
    if (token === undefined) return
    const next = adopted(token, outcome.refreshToken, this.#now(), false)
    this.#state = { ...this.#state, token: next, lostAnswer: true }
    if (next !== token) this.#saver.save(this.#state)
  }

  #settle(outcome: RefreshOutcome): RefreshOutcome {
    const jitter = this.#deps.random.next()
    const { state, events } = afterRefresh(this.#state, outcome, this.#now(), jitter, this.#lifetimes)
    // Durable before anything of it is used.
    this.#saver.save(state)
    this.#state = state
    this.#isAsking = false
    if (this.#stopped) return outcome
    if (outcome.kind === 'renewed') this.#refreshes.add()
    const why = 'why' in outcome ? outcome.why : ''
    this.#deps.reached(isOfTheService(outcome), why)
    for (const event of events) this.#deps.event(event)
    return outcome
  }

  async #revokeOnce(): Promise<RevocationAnswer> {
    const foreseen = revocationForeseen(this.#state)
    if (foreseen !== undefined) return foreseen
    this.#state = revocationAsked(this.#state)
    this.#saver.save(this.#state)
    this.#cancelTimer()
    this.#deps.changed()
    const refresh = this.#flight ?? this.#resolveDoubt()
    const refreshed = refresh && (await refresh)
    this.#state = { ...this.#state, access: undefined }
    const answer = revocationAfter(this.#state, refreshed) ?? (await this.#sendRevocation())
    const jitter = this.#deps.random.next()
    const { schedule } = this.#lifetimes
    const { state, events } = afterRevocation(this.#state, answer, this.#now(), jitter, schedule)
    this.#saver.save(state)
    this.#state = state
    for (const event of events) this.#deps.event(event)
    return answer
  }

  /** The refresh whose answer was lost, once more: its answer brings the token that is live, or says that this is none. */
  #resolveDoubt(): Promise<RefreshOutcome> | undefined {
    this.#state = newestOf(this.#state, this.#store, this.#now())
    return isInDoubt(this.#state) ? this.#post().then((outcome) => this.#settle(outcome)) : undefined
  }

  async #sendRevocation(): Promise<RevocationAnswer> {
    try {
      return await revokeTokens(this.#deps.http, this.#key, this.#state.token?.refreshToken ?? '')
    } catch (error) {
      this.#deps.broke?.(error)
      return { kind: 'unconfirmed', why: 'the request failed unexpectedly' }
    }
  }

  #schedule(): void {
    this.#cancelTimer()
    if (this.#stopped || this.#flight || this.#revocation) return
    const step = nextStep(this.#state, this.#now(), this.#lifetimes)
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
          this.#state = { ...this.#state, warnedAheadMs: step.aheadMs }
          this.#deps.event({ kind: 'sign-in-due', endsAt: Math.round(step.endsAtMs) })
          return this.#schedule()
      }
    })
  }

  #held(): Access {
    const { access, standing } = this.#state
    if (access !== undefined && isAlive(this.#state, this.#now()) && !isRevoking(this.#state)) {
      return { kind: 'token', value: access.value }
    }
    return { kind: 'none', why: standing.kind }
  }

  #now(): number {
    return this.#deps.timeline.now()
  }
}
