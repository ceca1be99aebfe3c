import { pathOf } from '../service/categories.ts'
import type { OrderKind } from './ports.ts'

/** A permitted request under the order path. */
export type OrderPath =
  | {
      readonly kind: OrderKind
      /** Shared path of all requests of this kind. Their quota is learned under this path. */
      readonly endpoint: string
      /** The order that a replace or cancel request names. */
      readonly orderId?: string
    }
  /** A request that changes nothing: an estimate, or a list of values. */
  | { readonly kind: 'read' }

const PREFIX = '/v3/orderexecution/'
const ORDER_ID = /^orders\/([A-Za-z0-9-]+)$/
const READ: OrderPath = { kind: 'read' }

const FIXED: Readonly<Record<string, OrderPath>> = {
  'POST orders': { kind: 'order', endpoint: `${PREFIX}orders` },
  'POST ordergroups': { kind: 'group', endpoint: `${PREFIX}ordergroups` },
  'POST orderconfirm': READ,
  'POST ordergroupconfirm': READ,
  'GET activationtriggers': READ,
  'GET routes': READ,
}

/**
 * Classifies a request under the order path. `undefined` if it is not permitted.
 *
 * Only the service's own spelling of a path is permitted, with any query. The service might read another
 * spelling as another request.
 */
export function orderPathOf(method: string, pathAndQuery: string): OrderPath | undefined {
  const path = pathOf(pathAndQuery)
  if (!path.startsWith(PREFIX)) return undefined
  const rest = path.slice(PREFIX.length)
  const asked = `${method} ${rest}`
  if (Object.hasOwn(FIXED, asked)) return FIXED[asked]
  const orderId = ORDER_ID.exec(rest)?.[1]
  if (orderId === undefined || (method !== 'PUT' && method !== 'DELETE')) return undefined
  return { kind: method === 'PUT' ? 'replace' : 'cancel', endpoint: `${PREFIX}orders/{id}`, orderId }
}
