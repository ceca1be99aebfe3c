import { parseArgs } from 'node:util'
import { aimText } from './aims.ts'
import { daysAims, daysTable } from './days-aims.ts'
import { measureDays } from './measure.ts'

/**
 * What Headroom learns in ten trading days, and what a restart costs: `npm run truth:days -- [--seeds 4]
 * [--jobs 2]`. Prints what `npm run truth` writes to `test/TRUTH.md`.
 *
 * Measures kinds of traffic with a daily pattern, and a control without one. The last day is compared with
 * the first, and with the same day without anything learned. The oracle runs with the first seed.
 */
const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '4' }, jobs: { type: 'string', default: '2' } },
})
const measured = await measureDays(Number(values.seeds), Number(values.jobs))
for (const cells of daysTable(measured)) console.log(`| ${cells.join(' | ')} |`)
for (const aim of daysAims(measured)) console.log(aimText(aim))
