import { simulate } from './simulate.ts'
import { storyOf } from './story.ts'

/** The result of a seed's life, in numbers that can be added up. */
export interface SeedLife {
  readonly seed: number
  readonly hours: number
  readonly looks: number
  readonly invariantsChecked: number
  readonly events: Readonly<Record<string, number>>
  /** How often each fault was caused on purpose. */
  readonly faults: Readonly<Record<string, number>>
  readonly cpuSeconds: number
  /** The sentence of the invariant that was broken, and the command that reproduces it. */
  readonly broken?: string
}

const USUAL_HOURS = 6
/** Hours that exceed the duration of a rotating key's sign-in (service 8.4). */
const DAY_AND_MORE_HOURS = 26
const LONG_LIVES = 8

/** Most lives are short, so that there are many. Some include the end of a day. */
export const hoursOf = (seed: number): number => (seed % LONG_LIVES === 0 ? DAY_AND_MORE_HOURS : USUAL_HOURS)

export async function liveSeed(seed: number, hours: number): Promise<SeedLife> {
  const before = process.cpuUsage()
  const nothing = { seed, hours, looks: 0, invariantsChecked: 0, events: {}, faults: {} }
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  }
  try {
    const { looks, invariantsChecked, events, faults } = await simulate(seed, hours, storyOf(seed, hours))
    return { seed, hours, looks, invariantsChecked, events, faults, cpuSeconds: cpuSeconds() }
  } catch (problem) {
    const broken = problem instanceof Error ? problem.message : String(problem)
    return { ...nothing, broken, cpuSeconds: cpuSeconds() }
  }
}
