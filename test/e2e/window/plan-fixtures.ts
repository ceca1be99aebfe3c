import type { RecordedUses } from '../../../app/contract/history.ts'
import type { ProgramSummary, Snapshot } from '../../../app/contract/snapshot.ts'
import { exampleProgram } from '../../main/hosts/terminal/example-snapshot.ts'
import { NOW_MS, quota, slots, snapshot, stream } from '../../renderer/fixtures.ts'

const program = (
  name: string,
  own: ProgramSummary['class'],
  weight: number,
  use: Readonly<Record<string, number>>,
): ProgramSummary => {
  const uses = Object.entries(use)
  return exampleProgram(name, {
    class: own,
    weight,
    forwarded: 1000,
    perSecond: uses.reduce((sum, [, perSecond]) => sum + perSecond, 0),
    use: uses.map(([category, perSecond]) => ({
      category,
      forwarded: Math.round(perSecond * 1000),
      perSecond,
      waiting: 0,
    })),
  })
}

const row = (category: string, limit: number, period: number, { own = 0, elsewhere = 0 }) =>
  quota(category, limit, period, limit * 0.6, {
    use: {
      total: own + elsewhere,
      own,
      elsewhere,
      elsewhereLow: elsewhere * 0.9,
      elsewhereHigh: elsewhere * 1.1,
    },
    used: { own: Math.round(own * 1000), elsewhere: Math.round(elsewhere * 1000) },
    observedAt: NOW_MS - 12_000,
  })

/** Five programs and others on one key, about as in the design's picture. */
export const BUSY: Snapshot = snapshot({
  gateway: { state: 'serving', url: 'http://127.0.0.1:4791' },
  programs: [
    program('executor', 'critical', 4, { 'Order Details': 0.21, Balances: 0.06 }),
    program('risk', 'critical', 2, { Positions: 0.1 }),
    program('scanner', 'normal', 2, { 'Quote Snapshot': 0.75, 'Option Expirations': 0.4 }),
    program('dashboard', 'normal', 1, { 'Quote Snapshot': 0.15 }),
    program('backtest', 'background', 1, { 'Option Expirations': 0.34 }),
  ],
  requests: [
    row('Accounts', 320, 300, { own: 0.02, elsewhere: 0.1 }),
    row('Order Details', 320, 300, { own: 0.23, elsewhere: 0.2 }),
    row('Balances', 320, 300, { own: 0.06, elsewhere: 0.5 }),
    row('Positions', 320, 300, { own: 0.1, elsewhere: 0.45 }),
    row('Quote Snapshot', 500, 300, { own: 0.9, elsewhere: 0.3 }),
    row('Option Expirations', 90, 60, { own: 0.74, elsewhere: 0.4 }),
    row('Option Strikes', 90, 60, { elsewhere: 0.2 }),
  ],
  slots: [
    slots('Positions Stream', 40, 1, 0),
    slots('Order Stream', 40, 1, 0),
    slots('MarketDepth Stream', 10, 1, 4),
    slots('Option Chain Stream', 10, 2, 0),
  ],
  streams: [
    stream('s1', 'Positions Stream', '123456782'),
    stream('s2', 'Order Stream', '123456782'),
    stream('s3', 'MarketDepth Stream', 'MSFT', { streamKind: 'depth' }),
  ],
})

const MINUTE_MS = 60_000

/** Minutes of the last 24 hours, busy at the open and at the close. */
export function recordedDay(hours = 24): RecordedUses {
  const toMs = Math.floor(NOW_MS / MINUTE_MS) * MINUTE_MS
  const minutes = Array.from({ length: hours * 60 }, (_, at) => {
    const atMs = toMs - (hours * 60 - at) * MINUTE_MS
    const hour = new Date(atMs).getUTCHours()
    const isOpen = hour >= 9 && hour < 16
    const wave = isOpen ? 1.2 + 0.8 * Math.cos(((hour - 9) / 7) * 2 * Math.PI) : 0.1
    return { atMs, of: (perSecond: number) => Math.round(60 * perSecond * wave) }
  })
  const uses = (own: number, elsewhere: number) =>
    minutes.map(({ atMs, of }, at) => [atMs, of(own) + ((at * 7) % 5), of(elsewhere)] as const)
  const of = (program: string, category: string, share: number, own: number) => ({
    program,
    category,
    minutes: uses(own, 0).map(([atMs, requests]) => [atMs, Math.floor(share * requests)] as const),
  })
  return {
    rows: {
      'Quote Snapshot': uses(0.7, 0.2),
      'Option Expirations': uses(0.6, 0.25),
      Positions: uses(0.1, 0.3),
      Balances: uses(0.05, 0.3),
    },
    programs: [
      of('scanner', 'Quote Snapshot', 0.8, 0.7),
      of('dashboard', 'Quote Snapshot', 0.2, 0.7),
      of('scanner', 'Option Expirations', 0.5, 0.6),
      of('backtest', 'Option Expirations', 0.5, 0.6),
      of('risk', 'Positions', 1, 0.1),
    ],
  }
}
