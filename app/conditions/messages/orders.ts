import { LOOKUP_MS, STOPPED_BY_PERSON } from '../../contract/orders.ts'
import type { Snapshot } from '../../contract/snapshot.ts'
import { clockText, dayAndClockText } from '../../status/moments.ts'
import { lookupText, notFound, STOPPING_LEAVES } from '../../status/orders-status.ts'
import { sentence } from '../../status/sentences.ts'
import type { ConditionKind } from '../kinds.ts'
import { joined, type Message, message } from './message.ts'

export type OrdersKind = Extract<ConditionKind, 'order-unknown' | `orders-${string}`>

/** The text for a condition about orders. */
export function ordersMessage(kind: OrdersKind, { orders }: Snapshot, nowMs: number): Message {
  switch (kind) {
    case 'order-unknown':
      return unknownMessage(orders?.unknown ?? [], nowMs)
    case 'orders-failed':
      return message({
        label: 'stopped',
        name: 'Orders stopped',
        title: 'Orders are stopped: the journal can’t be written.',
        action: isDiskFull(orders?.why) ? 'Free some space.' : 'Check access to the data folder.',
        detail: joined(orders?.why === undefined ? '' : sentence(orders.why), 'Orders resume automatically.'),
      })
    case 'orders-stopped':
      return message({
        label: 'stopped',
        name: 'Orders stopped',
        title: 'Orders are stopped',
        text: `${orders?.why ?? STOPPED_BY_PERSON}.`,
        action: 'To send new orders, allow orders again.',
        detail: STOPPING_LEAVES,
      })
    case 'orders-forbidden':
      return message({
        label: 'permission missing',
        name: 'Orders: permission missing',
        title: 'Orders: permission missing (403).',
        action: 'Allow orders again, and approve the Trade scope.',
        detail: 'A refresh token from the environment needs that scope, too.',
      })
  }
}

/** Whether freeing disk space would resolve a failure. */
export const isDiskFull = (why: string | undefined): boolean => why?.includes('disk is full') === true

const UNKNOWN = { label: 'outcome unknown', name: 'Order outcome unknown' } as const

/**
 * The message about orders whose response was lost. It names the program of the first order that no lookup
 * has found. If all were found, it names the program of the first order.
 */
function unknownMessage(unknown: NonNullable<Snapshot['orders']>['unknown'], nowMs: number): Message {
  const open = notFound(unknown)
  const [first = unknown[0]] = open
  if (first === undefined) return message({ ...UNKNOWN, title: 'Every order’s outcome is known.' })
  const text = `Sent by ${first.program} at ${dayAndClockText(first.at, nowMs)}.`
  if (open.length === 0)
    return message({
      label: 'order found',
      name: 'Order found',
      title:
        unknown.length === 1 ? `An order was ${lookupText(first)}.` : `${unknown.length} orders were found.`,
      text,
      action: 'Check that the program knows the outcome.',
      detail: 'The service’s response was lost.',
    })
  const isLooking = open.some(({ state }) => state === 'looking')
  return message({
    ...UNKNOWN,
    title:
      open.length === 1 ? '1 order’s outcome is unknown.' : `${open.length} orders’ outcomes are unknown.`,
    text,
    action: isLooking ? 'Don’t send it again.' : 'Check your broker.',
    detail: isLooking
      ? `Looking it up; result by ${clockText(first.at + LOOKUP_MS)}.`
      : sentence(lookupText(first)),
  })
}
