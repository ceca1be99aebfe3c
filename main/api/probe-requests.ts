import { z } from 'zod/mini'
import { parseJson } from '../../app/service/json.ts'
import type { ApiRequest } from './client.ts'

/** What a probe needs to know about the key before it can ask. */
export interface ProbeSubjects {
  readonly account: string | undefined
  readonly symbol: string
}

/** A symbol that any account with market data may ask for. */
export const DEFAULT_PROBE_SYMBOL = 'MSFT'

/** Categories of which a request shows the headers and costs nothing else. Accounts first: others need its answer. */
export const PROBED_CATEGORIES: readonly string[] = [
  'Accounts',
  'Order Details',
  'Balances',
  'Positions',
  'Quote Snapshot',
  'Option Expirations',
  'Option Strikes',
  'Option Spread Types',
]

/** The cheapest request of a category, `undefined` where none is to be had (streams, what places orders). */
export function probeRequest(category: string, { account, symbol }: ProbeSubjects): ApiRequest | undefined {
  const get = (path: string): ApiRequest => ({ method: 'GET', path })
  const ofAccount = (rest: string) =>
    account === undefined ? undefined : get(`/v3/brokerage/accounts/${account}/${rest}`)
  switch (category) {
    case 'Accounts':
      return get('/v3/brokerage/accounts')
    case 'Balances':
      return ofAccount('balances')
    case 'Positions':
      return ofAccount('positions')
    case 'Order Details':
      return ofAccount('orders')
    case 'Quote Snapshot':
      return get(`/v3/marketdata/quotes/${encodeURIComponent(symbol)}`)
    case 'Option Expirations':
      return get(`/v3/marketdata/options/expirations/${encodeURIComponent(symbol)}`)
    case 'Option Strikes':
      return get(`/v3/marketdata/options/strikes/${encodeURIComponent(symbol)}`)
    case 'Option Spread Types':
      return get('/v3/marketdata/options/spreadtypes')
    default:
      return undefined
  }
}

const Accounts = z.object({ Accounts: z.array(z.object({ AccountID: z.string() })) })
const ACCOUNT = /^[A-Za-z0-9]{1,20}$/

/** The first account id of an accounts answer that is fit for a path. */
export function firstAccount(body: string): string | undefined {
  try {
    const parsed = Accounts.safeParse(parseJson(body))
    return parsed.success
      ? parsed.data.Accounts.map((account) => account.AccountID).find((id) => ACCOUNT.test(id))
      : undefined
  } catch {
    return undefined
  }
}
