import { z } from 'zod/mini'
import { type ProbeSubjects, probePath } from '../../app/service/categories.ts'
import { parseJson } from '../../app/service/json.ts'
import type { ApiRequest } from './client.ts'

/** A default symbol that every account with market data may request. */
export const DEFAULT_PROBE_SYMBOL = 'MSFT'

/** The cheapest request of a category. `undefined` for streams and for categories whose requests place orders. */
export function probeRequest(category: string, subjects: ProbeSubjects): ApiRequest | undefined {
  const path = probePath(category, subjects)
  return path === undefined ? undefined : { method: 'GET', path }
}

const Accounts = z.object({ Accounts: z.array(z.object({ AccountID: z.string() })) })
const ACCOUNT = /^[A-Za-z0-9]{1,20}$/

/** The first account id in an accounts answer that can be used in a path. */
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
