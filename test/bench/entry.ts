import { z } from 'zod'
import { type Origin, origin } from '../proof/commit.ts'
import { BENCH_NAMES, type BenchName } from './benches.ts'
import { type BenchResult, benchResult, ratioOf, ratiosOf } from './result.ts'

const circumstances = {
  ...origin.shape,
  machine: z.string(),
  /** Mean number of processes that wanted to run in the minute before. */
  loadBefore: z.number(),
  seconds: z.number(),
}

const measured = z.object({
  ...benchResult.shape,
  ...circumstances,
  ratio: z.number().nullable(),
  ratios: z.record(z.string(), z.number()),
})
const notMeasured = z.object({
  ...circumstances,
  ours: z.null(),
  peers: z.record(z.string(), z.never()),
  ratio: z.null(),
  why: z.string(),
})

/** One bench in the JSON output and on the page: its results, or why it was not measured. */
export const entry = z.union([measured, notMeasured])
export type Entry = z.infer<typeof entry>
export type Measured = z.infer<typeof measured>

export type Circumstances = Origin & {
  readonly machine: string
  readonly loadBefore: number
  readonly seconds: number
}

export function measuredEntry(result: BenchResult, around: Circumstances): Entry {
  return { ...result, ratio: ratioOf(result), ratios: { ...ratiosOf(result) }, ...around }
}

export function failedEntry(why: string, around: Circumstances): Entry {
  return { ours: null, peers: {}, ratio: null, why, ...around }
}

export type Entries = ReadonlyMap<BenchName, Entry>

/** What an earlier run with `--json` printed. */
export function parseEntries(text: string): Entries {
  const all = z.record(z.string(), z.unknown()).parse(JSON.parse(text))
  return new Map(BENCH_NAMES.filter((name) => name in all).map((name) => [name, entry.parse(all[name])]))
}
