import { z } from 'zod'

/** The progress of a suite. Its reporter sends it over the IPC channel to run.ts. */
export const progressMessage = z.object({
  /** Test files or tests that have ended. */
  done: z.int().nonnegative(),
  total: z.int().nonnegative(),
  /** Share of the suite's expected time that is over, 0–1. */
  share: z.number().min(0).max(1),
})
export type ProgressMessage = z.infer<typeof progressMessage>

export function sendProgress(message: ProgressMessage): void {
  process.send?.(message)
}

/** A suite of a run, and its expected duration on two cores in seconds. */
export interface PlannedSuite {
  readonly name: string
  /** Name of the things that its progress counts, in the plural. */
  readonly counted: string
  readonly seconds: number
}

/** The progress of a run. Suite number `at` (from 0) is running, and `message` is its progress. */
export interface Position {
  readonly suites: readonly PlannedSuite[]
  readonly at: number
  readonly message: ProgressMessage
  readonly elapsedMs: number
}

/** One line, such as "part 1 of 2, unit: 120 of 403 files, about 4 minutes left". */
export function progressLine({ suites, at, message, elapsedMs }: Position): string {
  const { name, counted } = suites[at] ?? { name: '', counted: '' }
  const where = `part ${at + 1} of ${suites.length}, ${name}: ${message.done} of ${message.total} ${counted}`
  const left = minutesLeft({ suites, at, message, elapsedMs })
  return left === undefined ? where : `${where}, about ${left} ${left === 1 ? 'minute' : 'minutes'} left`
}

/** Below this share of the whole run, the speed of this machine can't be estimated. */
const MIN_SHARE = 0.03

/** Whole minutes, at least 1. `undefined` if too little is done for an estimate. */
function minutesLeft({ suites, at, message, elapsedMs }: Position): number | undefined {
  const all = sum(suites)
  const over = sum(suites.slice(0, at)) + (suites[at]?.seconds ?? 0) * message.share
  if (over < all * MIN_SHARE) return undefined
  return Math.max(1, Math.round((elapsedMs * (all / over - 1)) / 60_000))
}

const sum = (suites: readonly PlannedSuite[]) => suites.reduce((total, { seconds }) => total + seconds, 0)
