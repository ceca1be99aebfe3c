import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { originNow } from '../../proof/commit.ts'
import { machineWords, thisMachine } from '../machine.ts'
import { benchResult } from '../result.ts'
import { type Aim, aimsOf, aimText } from './aims.ts'
import { daysAims } from './days-aims.ts'
import { measure, measureDays } from './measure.ts'
import { kindColumns, kindRow, truthPage } from './page.ts'
import { MINUTES } from './watched-key.ts'

/**
 * Measures Headroom's numbers of a quota against the service's own count, and writes `test/TRUTH.md`: `npm
 * run truth -- [--quick] [--seeds 20] [--random 60] [--random-seed 1|fresh] [--day-seeds 1] [--only TEXT]
 * [--jobs 2] [--kinds] [--out FILE]`.
 *
 * `--quick` uses one seed and eight random kinds of traffic. `--only` uses the kinds whose name contains the
 * text. Neither measures days or writes a page. `--kinds` prints a line for each kind. Exit 1 if an aim is
 * missed.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seeds: { type: 'string' },
    'first-seed': { type: 'string', default: '1' },
    random: { type: 'string' },
    'random-seed': { type: 'string', default: '1' },
    'day-seeds': { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '2' },
    kinds: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
})
const seeds = Number(values.seeds ?? (values.quick ? 1 : 20))
const random = Number(values.random ?? (values.quick ? 8 : 60))
const randomSeed =
  values['random-seed'] === 'fresh'
    ? Math.floor(Date.now() / 1000) % 1_000_000
    : Number(values['random-seed'])
const [firstSeed, jobs] = [Number(values['first-seed']), Number(values.jobs)]

const from = performance.now()
const kinds = await measure({
  choice: { random, randomSeed, only: values.only },
  ...{ seeds, firstSeed, jobs },
  done: ({ name }) => process.stderr.isTTY && process.stderr.write(`${name}\n`),
})
const isWhole = !values.quick && values.only === ''
const days = isWhole ? await measureDays(Number(values['day-seeds']), jobs) : undefined
const aims = [...aimsOf(kinds), ...(days ? daysAims(days) : []), costs()]
const took = Math.round((performance.now() - from) / 1000)
const how = `${kinds.length} kinds of traffic (${random} of them drawn at random from seed ${randomSeed}), ${seeds} ${seeds === 1 ? 'seed' : 'seeds'} of ${MINUTES} minutes each, one sample a second of the product's own output at default settings, compared with the simulator's rules; ${took} s`
/** The cost of the estimates, measured by the bench `quota.ts`. */
function costs(): Aim {
  const script = fileURLToPath(new URL('../quota.ts', import.meta.url))
  const flags = ['--observations', '200000', '--json']
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', script, ...flags], { encoding: 'utf8' })
  const { ours, details } = benchResult.parse(JSON.parse(stdout))
  const row = Number(details['a row of a snapshot, µs'])
  return {
    figure: 'folding a header; a row of a snapshot',
    aim: 'at most 5 µs; at most 1.2 µs',
    measured: `${ours} µs; ${row} µs`,
    isMet: ours <= 5 && row <= 1.2,
  }
}

if (values.kinds) for (const row of [kindColumns(), ...kinds.map(kindRow)]) console.log(row.join(' | '))
for (const aim of aims) console.log(aimText(aim))
console.log(how)
const out = values.out ?? (isWhole ? fileURLToPath(new URL('../../TRUTH.md', import.meta.url)) : undefined)
if (out !== undefined) {
  const machine = machineWords(thisMachine())
  writeFileSync(out, truthPage({ aims, kinds, days, how, origin: originNow(), machine }))
}
if (aims.some(({ isMet }) => isMet === false)) process.exitCode = 1
