import type { KeyLifetimes } from '../../app/tokens/after-refresh.ts'
import {
  afterRevocation,
  isInDoubt,
  type RevocationAnswer,
  revocationAfter,
  revocationAsked,
  revocationForeseen,
} from '../../app/tokens/after-revocation.ts'
import type { KeyCredentials, RefreshOutcome } from '../../app/tokens/refresh-grant.ts'
import type { HeldKey } from './held-key.ts'
import type { KeeperDeps } from './keeper.ts'
import type { KeyRefresh } from './key-refresh.ts'
import { revokeTokens } from './revocation.ts'

export interface KeyRevocationDeps
  extends Pick<KeeperDeps, 'http' | 'random' | 'event' | 'changed' | 'broke'> {
  readonly held: HeldKey
  readonly refresh: Pick<KeyRefresh, 'flight' | 'askOnce'>
  readonly nowMs: () => number
  readonly key: () => KeyCredentials
  readonly lifetimes: () => KeyLifetimes
  /** A flight is over, whatever it came to: what is due is decided again. */
  readonly ended: () => void
}

/**
 * The end of one key's tokens, asked for here or elsewhere. Callers share one flight.
 *
 * A refresh under way is waited for, and one whose answer was lost is asked about first: revoking the token it replaces
 * would leave the new one in doubt.
 */
export class KeyRevocation {
  readonly #held: HeldKey
  readonly #deps: KeyRevocationDeps
  #flight: Promise<RevocationAnswer> | undefined

  constructor(deps: KeyRevocationDeps) {
    this.#held = deps.held
    this.#deps = deps
  }

  get flight(): Promise<RevocationAnswer> | undefined {
    return this.#flight
  }

  run(): Promise<RevocationAnswer> {
    this.#flight ??= this.#attempt().finally(() => {
      this.#flight = undefined
      this.#deps.ended()
    })
    return this.#flight
  }

  /** Another sign-in's revocation ended these tokens too. Whether that was news. */
  doneElsewhere(): boolean {
    if (this.#flight || this.#held.state.standing.kind === 'revoked') return false
    this.#settle({ kind: 'confirmed' }, 0)
    return true
  }

  async #attempt(): Promise<RevocationAnswer> {
    const foreseen = revocationForeseen(this.#held.state)
    if (foreseen !== undefined) return foreseen
    this.#held.holdAndSave(revocationAsked(this.#held.state))
    this.#deps.changed()
    const refresh = this.#deps.refresh.flight ?? this.#resolveDoubt()
    const refreshed = refresh && (await refresh)
    this.#held.hold({ ...this.#held.state, access: undefined })
    const answer = revocationAfter(this.#held.state, refreshed) ?? (await this.#send())
    this.#settle(answer, this.#deps.random.next())
    return answer
  }

  /** The refresh whose answer was lost, once more: its answer brings the token that is live, or says that this is none. */
  #resolveDoubt(): Promise<RefreshOutcome> | undefined {
    this.#held.takeNewest()
    return isInDoubt(this.#held.state) ? this.#deps.refresh.askOnce() : undefined
  }

  async #send(): Promise<RevocationAnswer> {
    try {
      return await revokeTokens(this.#deps.http, this.#deps.key(), this.#held.state.token?.refreshToken ?? '')
    } catch (error) {
      this.#deps.broke?.(error)
      return { kind: 'unconfirmed', why: 'the request failed unexpectedly' }
    }
  }

  #settle(answer: RevocationAnswer, jitter: number): void {
    const { nowMs, lifetimes, event } = this.#deps
    const { schedule } = lifetimes()
    const { state, events } = afterRevocation(this.#held.state, answer, nowMs(), jitter, schedule)
    this.#held.saveAndHold(state)
    for (const happened of events) event(happened)
  }
}
