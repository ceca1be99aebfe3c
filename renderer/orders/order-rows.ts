import type { OrderEntry } from '../../app/contract/orders.ts'
import type { Severity } from '../../app/contract/severity.ts'
import { dayAndClockText } from '../../app/status/moments.ts'
import { lookupText } from '../../app/status/orders-status.ts'

const PATHS: Readonly<Record<OrderEntry['kind'], string>> = {
  order: 'orders',
  group: 'ordergroups',
  replace: 'orders/{id}',
  cancel: 'orders/{id}',
}

/** A row of the journal. It has no ID of an account, only its ending. */
export function orderRow(entry: OrderEntry, nowMs: number) {
  const { id, atMs, program, method, kind, accountEnding, orderIds, latencyMs } = entry
  return {
    ...{ id, time: dayAndClockText(atMs, nowMs), program },
    request: `${method} ${PATHS[kind]}`,
    account: accountEnding === '' ? '–' : `…${accountEnding}`,
    ...statusOf(entry),
    orderIds: orderIds.join(', ') || '–',
    latency: latencyMs === undefined ? '–' : `${Math.round(latencyMs)} ms`,
  }
}

function statusOf(entry: OrderEntry): { readonly severity: Severity; readonly status: string } {
  const { outcome, status, orderIds, isDismissed } = entry
  switch (outcome) {
    case 'answered': {
      const isTaken = status !== undefined && status < 300
      return { severity: isTaken ? 'ok' : 'unknown', status: String(status ?? 'answered') }
    }
    case 'sent':
      return { severity: 'unknown', status: 'waiting for the response' }
    case 'not-sent':
      return { severity: 'unknown', status: 'not sent, safe to send again' }
    case 'looking':
    case 'found':
    case 'not-found':
    case 'ambiguous': {
      const [orderId] = orderIds
      const text = lookupText({ state: outcome, ...(orderId !== undefined && { orderId }) })
      if (outcome === 'found') return { severity: isDismissed ? 'ok' : 'warning', status: text }
      return { severity: isDismissed ? 'unknown' : 'critical', status: `outcome unknown, ${text}` }
    }
  }
}
