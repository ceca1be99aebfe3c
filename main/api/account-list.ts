import { z } from 'zod/mini'
import { parseJson } from '../../app/service/json.ts'
import { isAccount } from '../../app/service/stream-paths.ts'

const Accounts = z.object({ Accounts: z.array(z.object({ AccountID: z.string() })) })

/**
 * Account ids in the response to an accounts request. Ids that are not valid in a path are omitted.
 * `undefined` if the response is not a list.
 */
export function accountsIn(body: string): readonly string[] | undefined {
  const accounts = Accounts.safeParse(parseJson(body)).data?.Accounts
  return accounts?.map((account) => account.AccountID).filter(isAccount)
}
