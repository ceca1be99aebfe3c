import type { OrderKind } from './ports.ts'

/** A request under the order path that may pass. */
export type OrderPath =
  | {
      readonly kind: OrderKind
      /** One path for all requests of this kind, under which their quota is learned. */
      readonly endpoint: string
      /** The order that a replace or cancel names. */
      readonly orderId?: string
    }
  /** Changes nothing: an estimate, or a list of values. */
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
 * What a request under the order path is; `undefined` for everything that never passes.
 *
 * A path passes only in the service's own spelling, with any query. The service might read another spelling
 * as another request.
 */
export function orderPathOf(method: string, pathAndQuery: string): OrderPath | undefined {
  const [path = ''] = pathAndQuery.split('?', 1)
  if (!path.startsWith(PREFIX)) return undefined
  const rest = path.slice(PREFIX.length)
  const asked = `${method} ${rest}`
  if (Object.hasOwn(FIXED, asked)) return FIXED[asked]
  const orderId = ORDER_ID.exec(rest)?.[1]
  if (orderId === undefined || (method !== 'PUT' && method !== 'DELETE')) return undefined
  return { kind: method === 'PUT' ? 'replace' : 'cancel', endpoint: `${PREFIX}orders/{id}`, orderId }
}
