import { Ledger } from '../../../app/quota/ledger.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'
import type { ApiAnswer, ApiRequest } from '../../../main/api/client.ts'
import { Prober } from '../../../main/api/prober.ts'
import { Timeline } from '../../../main/ports/timeline.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'

export const MINUTE_MS = 60_000
export const ACCOUNTS = { Accounts: [{ AccountID: 'SIM1001' }] }

/** The prober in virtual time, with the ledger of one key and a service that the test controls. */
export function setUp(
  budgetFraction = 0.02,
  everySeconds: Readonly<Record<string, number>> = {},
  symbol?: string,
) {
  const clock = new VirtualClock()
  const timeline = new Timeline(clock)
  const ledger = new Ledger(CURRENT_REQUEST_QUOTAS, timeline.now())
  const asked: { readonly path: string; readonly atMs: number }[] = []
  const state = {
    may: true,
    attended: true,
    token: 'access 1',
    /** The response to a request that the quota allows. */
    answer: (request: ApiRequest): Promise<ApiAnswer> => {
      const ticket = ledger.sent(categoryAt(request.path), timeline.now())
      ledger.answered(ticket, undefined, timeline.now(), false)
      return Promise.resolve({
        kind: 'answered',
        status: 200,
        body: JSON.stringify(ACCOUNTS),
        hasQuota: true,
      })
    },
  }
  const prober = new Prober(
    { budgetFraction, everySeconds, ...(symbol !== undefined && { symbol }) },
    {
      clock,
      timeline,
      // No jitter.
      random: { next: () => 0.5 },
      quotas: ledger,
      attended: () => state.attended,
      accessToken: () => state.token,
      request: (request) => {
        asked.push({ path: request.path, atMs: clock.monotonicMs() })
        return state.answer(request)
      },
      mayProbe: () => state.may,
    },
  )
  return { clock, timeline, ledger, prober, asked, state }
}

const PATHS: readonly (readonly [string, string])[] = [
  ['/balances', 'Balances'],
  ['/positions', 'Positions'],
  ['/orders', 'Order Details'],
  ['/expirations/', 'Option Expirations'],
  ['/strikes/', 'Option Strikes'],
  ['/spreadtypes', 'Option Spread Types'],
  ['/quotes/', 'Quote Snapshot'],
]
export const categoryAt = (path: string) => PATHS.find(([part]) => path.includes(part))?.[1] ?? 'Accounts'
