import type { Command } from 'commander'
import { argument, DATA, type ParsedFlag, textFlag, wordFlag } from './flag-values.ts'

const ACTIONS = ['status', 'allow', 'stop', 'dismiss'] as const

export type OrdersAction = (typeof ACTIONS)[number]

export interface OrdersFlags {
  readonly data?: string
  /** The id of the key; if absent, the only key, or for `stop` all keys. */
  readonly profile?: string
  readonly yes?: true
  readonly json?: true
}

const actionFlag: (text: string) => ParsedFlag<OrdersAction> = wordFlag(ACTIONS)

/** Declares `headroom orders`. */
export const describeOrders = (program: Command): Command =>
  program
    .command('orders')
    .summary('allow and stop orders through the gateway')
    .description(
      'orders allow signs in again with the Trade scope, and then lets orders of programs with --orders pass. ' +
        'orders stop refuses new ones within a second, on every key or with --profile on one. ' +
        'Stopping does not give the Trade scope back and cancels nothing at the broker. ' +
        'orders status prints both switches and unknown outcomes; orders dismiss ID, or all, ends their alert.',
    )
    .argument('<action>', ACTIONS.join(', '), argument(actionFlag))
    .argument('[id]', 'with dismiss: an order of orders status, or all', argument(textFlag))
    .option('--profile <id>', 'which of several keys, by its name in status output', argument(textFlag))
    .option('--yes', 'with allow: do not ask, except for a LIVE key')
    .option('--json', 'with status: one line of JSON per key')
    .option(...DATA, argument(textFlag))
