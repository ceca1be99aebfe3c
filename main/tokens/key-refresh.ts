import {
  afterRefresh,
  fallenBack,
  heldBeside,
  isOfTheToken,
  type KeyLifetimes,
} from '../../app/tokens/after-refresh.ts'
import { isRevoking } from '../../app/tokens/key-state.ts'
import { isOfTheService, type KeyCredentials, type RefreshOutcome } from '../../app/tokens/refresh-grant.ts'
import type { HeldKey } from './held-key.ts'
import type { KeeperDeps } from './keeper.ts'
import { RefreshesToday } from './refreshes-today.ts'
import { postWrittenAhead } from './write-ahead.ts'

export interface KeyRefreshDeps extends Omit<KeeperDeps, 'timeline'> {
  readonly held: HeldKey
  readonly nowMs: () => number
  /** As of now: a person may have corrected the secret. */
  readonly key: () => KeyCredentials
  readonly lifetimes: () => KeyLifetimes
  /** A flight is over, whatever it came to: what is due is decided again. */
  readonly ended: () => void
}

/** A host that is there answers within seconds: a person hears of one that does not before the deadline is over. */
const UNANSWERED_MS = 10_000

/**
 * One key's refresh, from asking to taking the answer in. Callers share one flight.
 *
 * A refresh token is sent once per deliberate attempt, after the intent to do so is stored; a new one is stored
 * before the access token that came with it is used. When an answer is lost the same token is sent again once,
 * at once: a service's overlap is short.
 */
export class KeyRefresh {
  readonly #held: HeldKey
  readonly #deps: KeyRefreshDeps
  readonly #today: RefreshesToday
  #flight: Promise<RefreshOutcome> | undefined
  /** A refresh is on its way and its answer has not been taken in: its flight ends a moment later. */
  #isAsking = false
  #stopped = false
  #cancelUnanswered: () => void = () => {}

  constructor(deps: KeyRefreshDeps) {
    this.#held = deps.held
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

  /** Sends the token once, and takes in what comes back; for whoever knows that no flight is under way. */
  async askOnce(): Promise<RefreshOutcome> {
    return this.#settle(await this.#ask())
  }

  async #attempt(): Promise<RefreshOutcome> {
    if (this.#stopped) return { kind: 'not-sent', why: 'this key is not connected any more' }
    this.#held.readIfLost()
    if (isRevoking(this.#held.state)) return { kind: 'not-sent', why: 'the tokens are being revoked' }
    if (this.#held.state.token === undefined) return { kind: 'not-sent', why: 'there is no token to send' }
    this.#isAsking = true
    this.#deps.changed()
    this.#held.takeNewest()
    const outcome = await this.#ask()
    if (outcome.kind !== 'unknown' || this.#held.state.lostAnswer) return this.#settle(outcome)
    this.#lost(outcome)
    // Also while a revocation waits for it: only the newest token can be told to end with certainty.
    if (this.#stopped) return this.#settle(outcome)
    return this.#settle(await this.#ask())
  }

  /** Sends the token; where it is refused, and it is in doubt which one is live, the others in their turn. */
  async #ask(): Promise<RefreshOutcome> {
    let outcome = await this.#post()
    while (!this.#stopped && isOfTheToken(outcome)) {
      const { state } = this.#held
      const token = state.token && fallenBack(state.token)
      if (token === undefined) break
      this.#held.saveAndHold({ ...state, token })
      outcome = await this.#post()
    }
    return outcome
  }

  async #post(): Promise<RefreshOutcome> {
    const { token } = this.#held.state
    if (token === undefined) return { kind: 'not-sent', why: 'there is no token to send' }
    const { clock, http, secrets, key, nowMs, reached } = this.#deps
    const askedAtMs = nowMs()
    this.#cancelUnanswered = clock.after(UNANSWERED_MS, () => reached(false, 'not answering', askedAtMs))
    const sending = postWrittenAhead(token, {
      key: key(),
      store: this.#held.store,
      http,
      secrets,
      nowMs,
      problem: (what) => this.#held.saver.problem(what),
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
    const { state } = this.#held
    if (state.token === undefined) return
    const token = heldBeside(state.token, outcome.refreshToken)
    const next = { ...state, token, lostAnswer: true }
    if (token === state.token) this.#held.hold(next)
    else this.#held.holdAndSave(next)
  }

  #settle(outcome: RefreshOutcome): RefreshOutcome {
    const { random, nowMs, lifetimes, reached } = this.#deps
    const { state, events } = afterRefresh(this.#held.state, outcome, nowMs(), random.next(), lifetimes())
    this.#held.saveAndHold(state)
    this.#isAsking = false
    if (this.#stopped) return outcome
    if (outcome.kind === 'renewed') this.#today.add()
    reached(isOfTheService(outcome), 'why' in outcome ? outcome.why : '')
    for (const event of events) this.#deps.event(event)
    return outcome
  }
}
