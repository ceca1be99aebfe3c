import type { HeldToken, KeyState } from '../../app/tokens/key-state.ts'
import {
  type KeyCredentials,
  processRefreshAnswer,
  type RefreshOutcome,
  refreshRequest,
} from '../../app/tokens/refresh-grant.ts'
import { restoredState } from '../../app/tokens/stored-token.ts'
import type { Http } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { TokenStore } from '../vault/token-store.ts'

const REFRESH_TIMEOUT_MS = 20_000

export interface WriteAheadDeps {
  readonly key: KeyCredentials
  readonly store: TokenStore
  readonly http: Http
  readonly secrets: Secrets
  readonly nowMs: () => number
  readonly problem: (what: string) => void
}

/** What is stored may be newer than what is held; never the other way round with nothing left to save. */
export function newestOf(state: KeyState, store: TokenStore, nowMs: number): KeyState {
  const reading = store.read()
  if (reading.kind !== 'found') return state
  const { token, lostAnswer } = restoredState(reading.stored, nowMs)
  if (token === undefined || token.generation <= (state.token?.generation ?? 0)) return state
  return { ...state, token, lostAnswer: state.lostAnswer || lostAnswer }
}

/** Sends a token once (service 4.1), after the intent to do so is stored. */
export async function postWrittenAhead(
  { generation, refreshToken }: HeldToken,
  { key, store, http, secrets, nowMs, problem }: WriteAheadDeps,
): Promise<RefreshOutcome> {
  for (const secret of [key.clientSecret, refreshToken]) if (secret !== undefined) secrets.hide(secret)
  const intended = store.intend({ generation, atMs: nowMs() }, refreshToken)
  // A token that is not used ends within its half hour; one that cannot be written down can still be used.
  if (!intended.ok) problem(`a refresh cannot be written down ahead: ${intended.why}`)
  store.note('sent', generation, refreshToken)
  const request = refreshRequest(key, refreshToken)
  const outcome = processRefreshAnswer(
    await http.send({ method: 'POST', timeoutMs: REFRESH_TIMEOUT_MS, ...request }),
    request.url,
  )
  if ('refreshToken' in outcome && outcome.refreshToken !== undefined) {
    secrets.hide(outcome.refreshToken)
    store.note('received', generation + 1, outcome.refreshToken)
  }
  if (outcome.kind !== 'renewed') return outcome
  secrets.hide(outcome.accessToken)
  return { ...outcome, scopes: outcome.scopes.map((scope) => secrets.clean(scope)) }
}
