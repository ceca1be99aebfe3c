import { z } from 'zod'
import type { MutationResults } from '../mutation/results.ts'
import { origin } from './commit.ts'
import { PROMISE_IDS } from './promise-list.ts'
import { type RecordLine, recordLine } from './record.ts'

/** The results of the suites, and what their tests reported as proved. */
const suites = z.object({
  ...origin.shape,
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  failures: z.array(z.object({ file: z.string(), test: z.string(), promises: z.array(z.enum(PROMISE_IDS)) })),
  lines: z.array(recordLine),
})
export type Suites = z.infer<typeof suites>

const outcome = z.object({
  promise: z.string(),
  what: z.string(),
  test: z.string(),
  result: z.string(),
  by: z.string().optional(),
  said: z.string(),
})
export type Break = z.infer<typeof outcome>

const sabotage = z.object({ ...origin.shape, outcomes: z.array(outcome) })
export type Sabotage = z.infer<typeof sabotage>

/** The output of `simulate:long --json`. */
const simulation = z.object({
  ...origin.shape,
  seeds: z.int(),
  virtualHours: z.number(),
  minutes: z.number(),
  /** Number of checks of laws. Absent if they were not counted. */
  invariantsChecked: z.int().optional(),
  failures: z.array(z.unknown()),
  faults: z.record(z.string(), z.number()).default({}),
})
export type Simulation = z.infer<typeof simulation>

/** Everything except the tests is `undefined` if it was not run. */
export interface Evidence {
  readonly suites: Suites
  readonly sabotage: Sabotage | undefined
  readonly simulation: Simulation | undefined
  readonly mutation: MutationResults | undefined
}

export function parseSuites(text: string): Suites {
  return suites.parse(JSON.parse(text))
}

export function parseSabotage(text: string): Sabotage {
  return sabotage.parse(JSON.parse(text))
}

/** The file that the sabotage runner writes. It does not name a commit. */
export function parseOutcomes(text: string): readonly Break[] {
  return z.array(outcome).parse(JSON.parse(text))
}

export function parseSimulation(text: string): Simulation {
  return simulation.parse(JSON.parse(text))
}

/** The counts in the last line of `npm test`. A run without such a line counts as failed. */
export function parseCounts(output: string): Pick<Suites, 'passed' | 'failed' | 'skipped'> {
  const found = /^tests: (\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/m.exec(output)
  if (!found) return { passed: 0, failed: 1, skipped: 0 }
  return { passed: Number(found[1]), failed: Number(found[2]), skipped: Number(found[3] ?? 0) }
}

export type { RecordLine }
