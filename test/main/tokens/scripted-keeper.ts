import type { KeyReport } from '../../../app/contract/events.ts'
import { signedIn } from '../../../app/tokens/stored-token.ts'
import type { HttpOutcome } from '../../../main/ports/ports.ts'
import type { TokenKeeper } from '../../../main/tokens/keeper.ts'
import { TokenStore } from '../../../main/tokens/token-store.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { ScriptedHttp } from '../scripted-http.ts'
import { keeperOf } from './keeper-of.ts'

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000
const KEY = { authUrl: 'https://auth.test', clientId: 'key-id', clientSecret: 'key-secret' }

/** The keeper of one signed-in key in virtual time, with a sign-in host that answers by a script. */
export function setUp(script: readonly HttpOutcome[] = []) {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  const outcomes = [...script]
  const startMs = clock.monotonicMs()
  const sentAtMs: number[] = []
  http.reply = () => {
    sentAtMs.push(clock.monotonicMs() - startMs)
    return outcomes.shift()
  }
  const events: KeyReport[] = []
  const reached: boolean[] = []
  const told: unknown[] = []
  /** The states of the access token at each event. */
  const states: string[] = []
  const keeper: TokenKeeper = keeperOf(
    TokenStore.signedIn(signedIn('refresh-0', clock.wallMs())),
    {
      http,
      clock,
      event: (event) => {
        events.push(event)
        states.push(keeper.accessSummary().state)
      },
      reached: (ok, why, sinceMs) => {
        reached.push(ok)
        told.push([ok, why, sinceMs === undefined ? undefined : clock.wallMs() - sinceMs])
      },
    },
    KEY,
  )
  const sentTokens = () =>
    http.requests.map(
      ({ body = '' }) => new URLSearchParams(body).get('refresh_token') ?? JSON.parse(body).token,
    )
  const kinds = (kind: KeyReport['kind']) => events.filter((event) => event.kind === kind)
  return { clock, http, keeper, events, reached, told, states, sentAtMs, sentTokens, kinds, outcomes }
}

/** The same, with the keeper started `ms` ago. */
export async function started(script: readonly HttpOutcome[] = [], ms = 0) {
  const set = setUp(script)
  set.keeper.start()
  await set.clock.advance(ms)
  return set
}
