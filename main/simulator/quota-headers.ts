import type { QuotaReading } from './rules/request-quotas.ts'
import type { SlotReading } from './rules/slots.ts'
import type { WireHeaders } from './wire.ts'

/**
 * Resource names of categories in headers. As on the real service, they follow no pattern, so a client must
 * learn which category a name means.
 */
const RESOURCE_NAMES: Readonly<Record<string, string>> = {
  'Order Details': 'orders',
  'Quote Snapshot': 'quotes',
  'Barchart Stream': 'stream-barcharts',
  'TickBar Stream': 'stream-tickbars',
  'MarketDepth Stream': 'streaming-market-depth',
  'Option Quote Stream': 'streaming-option-quotes',
  'Option Chain Stream': 'streaming-option-chains',
  'Order Stream': 'streaming-orders',
  'Order Stream by Order Id': 'streaming-orders-by-id',
  'Positions Stream': 'streaming-positions',
}

export const resourceNameOf = (category: string): string =>
  RESOURCE_NAMES[category] ?? category.toLowerCase().replaceAll(' ', '-')

/** The X-RateLimit headers of one response (service 2.2). */
export function quotaHeaders(
  category: string,
  rate: QuotaReading | undefined,
  slots: SlotReading | undefined,
): WireHeaders {
  const name = resourceNameOf(category)
  return {
    ...(rate === undefined
      ? {}
      : {
          'X-RateLimit-Limit': String(rate.limit),
          'X-RateLimit-Period': String(rate.periodSeconds),
          'X-RateLimit-Remaining': String(rate.remaining),
          'X-RateLimit-Reset': String(rate.resetSeconds),
          'X-RateLimit-Resource': name,
        }),
    ...(slots === undefined
      ? {}
      : {
          'X-Concurrency-Limit': String(slots.limit),
          'X-Concurrency-Remaining': String(slots.remaining),
          'X-Concurrency-Resource': name,
        }),
  }
}
