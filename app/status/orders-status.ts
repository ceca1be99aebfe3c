import { LOOKUP_MS, type OrdersSummary, type UnknownOrder } from '../contract/orders.ts'
import type { Severity } from '../contract/severity.ts'
import { countText } from './rates.ts'

/** A sentence about what stays unchanged when a person stops orders. */
export const STOPPING_LEAVES = 'Stopping keeps the Trade scope and cancels nothing at the broker.'

/** The state of an order's lookup, as text. */
export function lookupText({ state, orderId }: Pick<UnknownOrder, 'state' | 'orderId'>): string {
  switch (state) {
    case 'looking':
      return 'looking it up'
    case 'found':
      return orderId === undefined ? 'found' : `found, ID ${orderId}`
    case 'not-found':
      return `not found after ${LOOKUP_MS / 1000} s`
    case 'ambiguous':
      return 'unclear: check your broker'
  }
}

/** Orders of unknown outcome that no lookup has found. */
export const notFound = (unknown: OrdersSummary['unknown']): OrdersSummary['unknown'] =>
  unknown.filter(({ state }) => state !== 'found')

const SEVERITIES: Readonly<Record<OrdersSummary['state'], Severity>> = {
  off: 'unknown',
  on: 'ok',
  stopped: 'warning',
  failed: 'critical',
}

/**
 * Text and severity for a key's orders: whether they are allowed, how many were sent today, and how many have
 * an unknown outcome.
 */
export function ordersStatus({ state, why, today, unknown }: OrdersSummary): {
  readonly text: string
  readonly severity: Severity
} {
  const open = notFound(unknown).length
  const found = unknown.length - open
  const reason = why === undefined ? '' : `: ${why}`
  const parts = [
    state === 'off'
      ? 'orders are off'
      : state === 'on'
        ? 'orders are allowed'
        : `orders are stopped${reason}`,
    ...(state === 'off' ? [] : [`${today} today`]),
    ...(open === 0 ? [] : [`${countText(open, 'outcome')} unknown`]),
    ...(found === 0 ? [] : [`${countText(found, 'order')} found`]),
  ]
  const severity = open > 0 ? 'critical' : SEVERITIES[state]
  return { text: parts.join(', '), severity: found > 0 && severity !== 'critical' ? 'warning' : severity }
}
