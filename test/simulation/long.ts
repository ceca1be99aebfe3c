import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { liveMany, type Totals } from './many-seeds.ts'
import { keepRegression, keptRegressions, LONGEST_TESTED_HOURS } from './regressions.ts'
import { hoursOf } from './seed-life.ts'
import { simulate } from './simulate.ts'

/**
 * Simulates many lives: `npm run simulate:long -- 60` uses new seeds for an hour, `--seeds 200 --first 1`
 * uses the same 200 seeds each time. `--kept` also repeats the stored lives that are too long for the tests.
 */
const { values, positionals } = parseArgs({
  options: {
    seeds: { type: 'string' },
    first: { type: 'string' },
    hours: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    json: { type: 'string' },
    kept: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

const MINUTE_MS = 60_000
const minutes = Number(positionals[0] ?? Number.POSITIVE_INFINITY)
const most = Number(values.seeds ?? Number.POSITIVE_INFINITY)
const startedAt = new Date()
const first = Number(values.first ?? Math.floor(startedAt.getTime() / 1000))
const jobs = Number(values.jobs)
const numbers = { minutes, seeds: most, first, hours: Number(values.hours ?? 1), jobs }
const wrong = Object.entries(numbers).find(([, value]) => !(value > 0))
if (wrong !== undefined || (minutes === Number.POSITIVE_INFINITY && most === Number.POSITIVE_INFINITY)) {
  console.error(
    `${wrong ? `${wrong[0]} is not a number above 0` : 'how long?'}: npm run simulate:long -- MINUTES, or --seeds N`,
  )
  process.exit(2)
}

const startedMs = performance.now()
const elapsedMinutes = () => (performance.now() - startedMs) / MINUTE_MS
let begun = 0
let toldMinutes = 0

const perCoreHour = ({ virtualHours, cpuSeconds }: Totals) => Math.round((virtualHours / cpuSeconds) * 3600)
const line = (totals: Totals) =>
  `${totals.seeds} seeds, ${totals.virtualHours} virtual hours, ${perCoreHour(totals)} virtual hours an hour a core, ` +
  `${totals.invariantsChecked} invariants checked, ${totals.broken.length} broken`

console.log(`from seed ${first}, ${jobs} at once`)
const totals = await liveMany({
  jobs,
  next: () => {
    if (begun >= most || elapsedMinutes() >= minutes) return undefined
    const seed = first + begun++
    return { seed, hours: values.hours === undefined ? hoursOf(seed) : Number(values.hours) }
  },
  lived: ({ seed, hours, broken }, soFar) => {
    if (broken !== undefined) {
      console.error(broken)
      console.error(`kept as ${keepRegression(seed, hours, broken, startedAt.toISOString())}`)
    }
    if (Math.floor(elapsedMinutes()) <= toldMinutes) return
    toldMinutes = Math.floor(elapsedMinutes())
    console.log(`minute ${toldMinutes}: ${line(soFar)}`)
  },
})

console.log(`${elapsedMinutes().toFixed(1)} minutes: ${line(totals)}`)
console.log(`went wrong on purpose: ${JSON.stringify(totals.faults)}`)
console.log(`was told: ${JSON.stringify(totals.events)}`)
for (const { broken } of totals.broken) console.log(broken)
if (values.json !== undefined) {
  const { seeds, virtualHours, invariantsChecked, looks, faults, events, broken } = totals
  const said = {
    seeds,
    firstSeed: first,
    virtualHours,
    minutes: Number(elapsedMinutes().toFixed(2)),
    jobs,
    virtualHoursPerCoreHour: perCoreHour(totals),
    looks,
    invariantsChecked,
    failures: broken.map(({ seed, hours, broken: violation }) => ({ seed, hours, violation })),
    faults,
    events,
    commit: commit(),
    date: startedAt.toISOString(),
  }
  writeFileSync(values.json, `${JSON.stringify(said, null, 2)}\n`)
}
process.exitCode = totals.broken.length === 0 && totals.seeds > 0 && (await keptHold()) ? 0 : 1

/** Whether every stored life that is too long for the tests still meets the invariants. */
async function keptHold(): Promise<boolean> {
  let hold = true
  if (!values.kept) return hold
  for (const { seed, hours, violation, story } of keptRegressions()) {
    if (hours <= LONGEST_TESTED_HOURS) continue
    try {
      await simulate(seed, hours, story)
      console.log(`the kept life of seed ${seed} held every invariant for ${hours} h`)
    } catch (problem) {
      hold = false
      console.error(`${String(problem)} (once: ${violation})`)
    }
  }
  return hold
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}
