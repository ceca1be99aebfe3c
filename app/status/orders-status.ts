import { LOOKUP_MS, type OrdersSummary, type UnknownOrder } from '../contract/orders.ts'
import type { Severity } from '../contract/severity.ts'

/** What stopping does not do. */
export const STOPPING_LEAVES = 'Stopping doesn’t give the Trade scope back. It cancels nothing at the broker.'

/** What Headroom found out about an order with an unknown outcome. */
export function lookupText({ state, orderId }: Pick<UnknownOrder, 'state' | 'orderId'>): string {
  switch (state) {
    case 'looking':
      return 'looking it up'
    case 'found':
      return orderId === undefined ? 'found' : `found as order ${orderId}`
    case 'not-found':
      return `not found after ${LOOKUP_MS / 1000} s`
    case 'ambiguous':
      return 'unclear: check your broker'
  }
}

/** Whether orders may pass, how many passed today, and how many outcomes are unknown, with its severity. */
export function ordersStatus({ state, why, today, unknown }: OrdersSummary): {
  readonly text: string
  readonly severity: Severity
} {
  const open = unknown.length
  const outcomes = open === 0 ? '' : `, ${open} ${open === 1 ? 'outcome' : 'outcomes'} unknown`
  const reason = why === undefined ? '' : `: ${why}`
  switch (state) {
    case 'off':
      return { text: `orders are off${outcomes}`, severity: open === 0 ? 'unknown' : 'critical' }
    case 'on':
      return {
        text: `orders are allowed, ${today} today${outcomes}`,
        severity: open === 0 ? 'ok' : 'critical',
      }
    case 'stopped':
      return {
        text: `orders are stopped${reason}, ${today} today${outcomes}`,
        severity: open === 0 ? 'warning' : 'critical',
      }
    case 'failed':
      return { text: `orders are stopped${reason}, ${today} today${outcomes}`, severity: 'critical' }
  }
}
