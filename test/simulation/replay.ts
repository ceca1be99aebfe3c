import { parseArgs } from 'node:util'
import { hoursOf } from './seed-life.ts'
import { simulate } from './simulate.ts'
import { QUIET, storyOf } from './story.ts'

/** Runs one seed's story again and describes it: `npm run simulate -- --seed 7 --hours 6`. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    hours: { type: 'string' },
    quiet: { type: 'boolean', default: false },
  },
})

const first = Number(values.seed)
for (let seed = first; seed < first + Number(values.seeds); seed += 1) {
  const hours = values.hours === undefined ? hoursOf(seed) : Number(values.hours)
  const story = values.quiet ? QUIET : storyOf(seed, hours)
  const startedMs = performance.now()
  try {
    const report = await simulate(seed, hours, story)
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    const { clockEvents, looks, events, requests } = report
    console.log(
      JSON.stringify({ seed, hours, seconds: Number(seconds), clockEvents, looks, events, requests }),
    )
  } catch (problem) {
    process.exitCode = 1
    console.error(problem instanceof Error ? problem.message : problem)
    if (values.seeds === '1') {
      console.error(JSON.stringify(story))
      console.error(problem instanceof Error ? problem.cause : '')
    }
  }
}
