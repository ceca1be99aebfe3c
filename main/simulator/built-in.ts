import { DEFAULT_SIMULATOR_OPTIONS, type SimulatorOptions } from './options.ts'

/**
 * The key a first start is connected to: rotating, and not alone.
 *
 * Another program works on Positions in spells that drain it (1.5 a second against the 320/300 that come
 * back), so that within minutes there is a forecast, a warning and a recovery to be seen.
 */
export const BUILT_IN_OPTIONS: SimulatorOptions = {
  ...DEFAULT_SIMULATOR_OPTIONS,
  keys: 'rotating',
  rotationOverlapSeconds: 30,
  arrivals: 'poisson',
  // Enough to see that its streams live; a window that nobody looks at pays for each frame.
  streamRate: 1,
  neighbours: [
    { category: 'Positions', perSecond: 1.5, onSeconds: 420, offSeconds: 120 },
    { category: 'Order Details', perSecond: 0.2, onSeconds: 3600, offSeconds: 0 },
    { category: 'Balances', perSecond: 0.5, onSeconds: 90, offSeconds: 150 },
    { category: 'Quote Snapshot', perSecond: 1.1, onSeconds: 240, offSeconds: 60 },
    { category: 'Option Expirations', perSecond: 1.3, onSeconds: 25, offSeconds: 95 },
  ],
  alreadySpent: { Positions: 150, 'Order Details': 22, 'Quote Snapshot': 60, Balances: 18 },
  slotsElsewhere: { 'Positions Stream': 2, 'MarketDepth Stream': 6 },
}
