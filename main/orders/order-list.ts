import { DAY_MS } from '../../app/contract/units.ts'
import { type ListedOrder, listedOrderOf } from '../../app/orders/order-facts.ts'
import { categoryOf, pathOf } from '../../app/service/categories.ts'
import { parseJson } from '../../app/service/json.ts'
import { accountsIn } from '../api/account-list.ts'
import { type MonitorSurface, sessionOf } from '../monitor/monitor-surface.ts'

/** Reads a resource of a connected key. `undefined` unless the status is 200. */
export type ReadResource = (profile: string, path: string) => Promise<string | undefined>

/** Reads resources with the token of a connected key. The requests count like all of Headroom's requests. */
export function sessionReads(monitor: Pick<MonitorSurface, 'withProfile'>): ReadResource {
  return async (profile, path) => {
    const { parts } = sessionOf(monitor, profile) ?? {}
    if (parts === undefined) return undefined
    const category = categoryOf('GET', pathOf(path))
    if (category !== undefined) parts.prober.count(category)
    const answer = await parts.client.request({ method: 'GET', path, isUrgent: true })
    return answer.kind === 'answered' && answer.status === 200 ? answer.body : undefined
  }
}

/** The accounts whose orders were read, and their orders. */
export interface OrderList {
  /** The last three characters of each account of the key. */
  readonly accountEndings: readonly string[]
  readonly orders: readonly ListedOrder[]
  /** Whether every order of the list could be read. */
  readonly isReadable: boolean
}

export interface WantedOrders {
  /** The last three characters of each account to read. An empty text means all accounts of the key. */
  readonly accountEndings: readonly string[]
  /** The earliest sending time of the orders to look up, epoch ms. */
  readonly sinceMs: number
  readonly nowMs: number
  /**
   * Whether this is the last lookup of an order. An order that is not in the list then counts as not found.
   */
  readonly isLast: boolean
}

/** The last three characters of an account. They identify it in the journal and in texts. */
export const endingOf = (account: string): string => account.slice(-3)

/** Maximum number of accounts in one request. */
const MAX_ACCOUNTS = 25
const MAX_PAGES = 50
/**
 * Age in milliseconds from which an order is also looked up in the list of former days. The last lookup
 * always reads both lists, because the service's current day can end at any time.
 */
const FORMER_DAY_MS = DAY_MS / 4

/** The orders of a key's accounts. `undefined` if any part can't be read. */
export async function readOrderList(
  profile: string,
  { accountEndings, sinceMs, nowMs, isLast }: WantedOrders,
  read: ReadResource,
): Promise<OrderList | undefined> {
  const body = await read(profile, '/v3/brokerage/accounts')
  const accounts = body === undefined ? undefined : accountsIn(body)
  if (accounts === undefined) return undefined
  const isWanted = (account: string) => accountEndings.includes(endingOf(account))
  const wanted = accountEndings.includes('') ? accounts : accounts.filter(isWanted)
  const orders: (ListedOrder | undefined)[] = []
  for (let from = 0; from < wanted.length; from += MAX_ACCOUNTS) {
    const of = `/v3/brokerage/accounts/${wanted.slice(from, from + MAX_ACCOUNTS).join(',')}`
    const since = new Date(sinceMs - DAY_MS).toISOString().slice(0, 10)
    const isFormer = isLast || nowMs - sinceMs > FORMER_DAY_MS
    const former = isFormer ? [`${of}/historicalorders?since=${since}`] : []
    for (const path of [`${of}/orders`, ...former]) {
      const found = await readPages(profile, path, read)
      if (found === undefined) return undefined
      orders.push(...found)
    }
  }
  const byId = new Map(orders.flatMap((order) => (order === undefined ? [] : [[order.orderId, order]])))
  return {
    accountEndings: accounts.map(endingOf),
    orders: [...byId.values()],
    isReadable: !orders.includes(undefined),
  }
}

/**
 * All orders of a list, with `undefined` for each order that can't be read. If a page can't be read, the
 * whole result is `undefined`.
 */
async function readPages(
  profile: string,
  path: string,
  read: ReadResource,
): Promise<readonly (ListedOrder | undefined)[] | undefined> {
  const orders: (ListedOrder | undefined)[] = []
  const seen = new Set<string>()
  let next: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const token =
      next === undefined ? '' : `${path.includes('?') ? '&' : '?'}nextToken=${encodeURIComponent(next)}`
    const members = membersOf(await read(profile, `${path}${token}`))
    const listed = members?.['Orders']
    // Some accounts could not be read. The order may belong to one of them.
    if (!Array.isArray(listed) || (Array.isArray(members?.['Errors']) && members['Errors'].length > 0))
      return undefined
    orders.push(...listed.map(listedOrderOf))
    const following = members?.['NextToken']
    if (following === undefined || following === null || following === '') return orders
    // A list that repeats an earlier page would never end.
    if (typeof following !== 'string' || seen.has(following)) return undefined
    seen.add(following)
    next = following
  }
  return undefined
}

function membersOf(body: string | undefined): Readonly<Record<string, unknown>> | undefined {
  const value = body === undefined ? undefined : parseJson(body)
  return typeof value === 'object' && value !== null ? { ...value } : undefined
}
