import type { Outcome } from '../../app/contract/outcome.ts'
import type { RefreshSummary } from '../../app/contract/snapshot.ts'
import {
  afterRevocation,
  isInDoubt,
  revocationAfter,
  revocationAsked,
  revocationForeseen,
} from '../../app/tokens/after-revocation.ts'
import type { KeyCredentials, RefreshOutcome } from '../../app/tokens/refresh-grant.ts'
import {
  processRevokeAnswer,
  REVOKE_SPELLINGS,
  type RevocationResult,
  revokeRequest,
} from '../../app/tokens/revocation.ts'
import type { Http } from '../ports/ports.ts'
import type { KeeperDeps } from './keeper.ts'
import type { KeyRefresh } from './key-refresh.ts'
import type { TokenStore } from './token-store.ts'

const REVOKE_TIMEOUT_MS = 15_000
const CONFIRMED: RevocationResult = { kind: 'confirmed' }

export interface KeyRevocationDeps
  extends Pick<KeeperDeps, 'http' | 'random' | 'event' | 'changed' | 'onListenerError'> {
  readonly store: TokenStore
  readonly refresh: Pick<KeyRefresh, 'flight' | 'askOnce'>
  readonly nowMs: () => number
  readonly key: () => KeyCredentials
  /** Called at the end of each revocation, whatever its result. The keeper then checks for due work. */
  readonly ended: () => void
}

/**
 * The revocation of one key's tokens (service 4.2). Simultaneous callers share one revocation.
 *
 * A revocation waits for a refresh in progress. A refresh whose response was lost is repeated first, because
 * revoking a replaced token might leave its replacement valid.
 */
export class KeyRevocation {
  readonly #store: TokenStore
  readonly #deps: KeyRevocationDeps
  #flight: Promise<RevocationResult> | undefined
  /** Whether another profile's revocation was confirmed while this profile's revocation was in progress. */
  #isDoneElsewhere = false

  constructor(deps: KeyRevocationDeps) {
    this.#store = deps.store
    this.#deps = deps
  }

  get flight(): Promise<RevocationResult> | undefined {
    return this.#flight
  }

  run(): Promise<RevocationResult> {
    this.#flight ??= this.#attempt().finally(() => {
      this.#flight = undefined
      this.#deps.ended()
    })
    return this.#flight
  }

  /**
   * Records that another profile's revocation ended these tokens too. If a revocation of this profile is in
   * progress, it counts as confirmed, even if the service rejects its token. Returns false in that case, and
   * if the tokens were already revoked.
   */
  doneElsewhere(): boolean {
    if (this.#store.state.standing.kind === 'revoked') return false
    this.#isDoneElsewhere = true
    if (this.#flight) return false
    this.#settle(CONFIRMED, 0)
    return true
  }

  async #attempt(): Promise<RevocationResult> {
    const foreseen = revocationForeseen(this.#store.state)
    if (foreseen !== undefined) return foreseen
    this.#store.save(revocationAsked(this.#store.state))
    this.#deps.changed()
    const refresh = this.#deps.refresh.flight ?? this.#resolveDoubt()
    const refreshed = refresh && (await refresh)
    this.#store.use({ ...this.#store.state, access: undefined })
    const own = revocationAfter(this.#store.state, refreshed) ?? (await this.#send())
    const answer = this.#isDoneElsewhere ? CONFIRMED : own
    this.#settle(answer, this.#deps.random.next())
    return answer
  }

  /**
   * Repeats a refresh whose response was lost. The new response contains the valid token, or shows that there
   * is none.
   */
  #resolveDoubt(): Promise<RefreshOutcome> | undefined {
    this.#store.takeNewest()
    return isInDoubt(this.#store.state) ? this.#deps.refresh.askOnce() : undefined
  }

  async #send(): Promise<RevocationResult> {
    try {
      return await revokeTokens(
        this.#deps.http,
        this.#deps.key(),
        this.#store.state.token?.refreshToken ?? '',
      )
    } catch (error) {
      this.#deps.onListenerError?.(error)
      return { kind: 'unconfirmed', why: 'the request failed unexpectedly' }
    }
  }

  #settle(answer: RevocationResult, jitter: number): void {
    const { nowMs, event } = this.#deps
    const { state, events } = afterRevocation(this.#store.state, answer, nowMs(), jitter)
    this.#store.save(state)
    for (const happened of events) event(happened)
  }
}

/**
 * Revokes every refresh token of the key (service 4.2). The name of the form field for the token is
 * uncertain, so `REVOKE_SPELLINGS` lists several. Each is tried only if the service has rejected the previous
 * one. Only a 200 confirms the revocation.
 */
export async function revokeTokens(
  http: Http,
  key: KeyCredentials,
  refreshToken: string,
): Promise<RevocationResult> {
  for (const spelling of REVOKE_SPELLINGS) {
    const request = revokeRequest(key, refreshToken, spelling)
    const outcome = processRevokeAnswer(
      await http.send({ method: 'POST', timeoutMs: REVOKE_TIMEOUT_MS, ...request }),
      request.url,
    )
    if (outcome.kind !== 'spelling') return outcome
  }
  return { kind: 'unconfirmed', why: 'the service rejected every known form of the request' }
}

/** The outcome for a person. `retryAt`: the next automatic attempt, if there is one. */
export function revocationOutcome(
  result: RevocationResult,
  { retryAt }: Pick<RefreshSummary, 'retryAt'>,
): Outcome {
  switch (result.kind) {
    case 'confirmed':
      return { ok: true }
    case 'refused':
      return { ok: false, code: 'revoke-refused', message: `Not revoked: ${result.why}.` }
    case 'unconfirmed':
      return {
        ok: false,
        code: 'revoke-unconfirmed',
        message: `Revocation not confirmed: ${result.why}. ${retryAt === undefined ? 'Revoke again' : 'Retrying'}; assume the tokens still work.`,
      }
  }
}
