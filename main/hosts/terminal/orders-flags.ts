import type { Command } from 'commander'
import { argument, DATA, textFlag, wordFlag } from './flag-values.ts'

export type OrdersAction = 'status'

export interface OrdersFlags {
  readonly data?: string
  readonly json?: true
}

/** Declares `headroom orders`. */
export const describeOrders = (program: Command): Command =>
  program
    .command('orders')
    .summary('print whether orders may pass the gateway')
    .description(
      'orders status prints for each key whether orders may pass the gateway of the running Headroom.',
    )
    .argument('<action>', 'status', argument(wordFlag(['status'])))
    .option('--json', 'one line of JSON per key')
    .option(...DATA, argument(textFlag))
