import { parseArgs } from 'node:util'
import { z } from 'zod'

/**
 * Results of one bench. Every number has a unit. `peers` are other ways to do the same, measured in the same
 * run.
 */
export const benchResult = z.object({
  /** What `ours` measures, in words. */
  what: z.string(),
  unit: z.string(),
  better: z.enum(['more', 'less']),
  ours: z.number(),
  peers: z.record(z.string(), z.number()).default({}),
  details: z.record(z.string(), z.union([z.number(), z.string()])),
  /**
   * For benches in which one number per contestant is not enough. Each row is a case, and its first cell is
   * the name.
   */
  table: z.object({ columns: z.array(z.string()), rows: z.array(z.array(z.string())) }).optional(),
  aims: z.array(z.object({ what: z.string(), isMet: z.boolean() })),
  /** How it was measured: the method, the amount and the repetitions. */
  how: z.string(),
})
export type BenchResult = z.infer<typeof benchResult>

/** How many times better than each peer ours is. */
export function ratiosOf({
  better,
  ours,
  peers,
}: Pick<BenchResult, 'better' | 'ours' | 'peers'>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(peers).map(([name, value]) => [
      name,
      round(better === 'more' ? ours / value : value / ours),
    ]),
  )
}

/** How many times better than the best peer ours is. `null` without peers. */
export function ratioOf(result: Pick<BenchResult, 'better' | 'ours' | 'peers'>): number | null {
  const ratios = Object.values(ratiosOf(result))
  return ratios.length === 0 ? null : Math.min(...ratios)
}

type Flags<T> = {
  readonly [K in keyof T]: T[K] extends number ? number : T[K] extends boolean ? boolean : string
}

/** The flags of a bench, such as `--runs 5`. Each has the type of its default. Every bench has `--json`. */
export function benchFlags<T extends Readonly<Record<string, number | boolean | string>>>(
  defaults: T,
): Flags<T> & { readonly json: boolean } {
  const { values } = parseArgs({
    options: Object.fromEntries(
      Object.entries({ ...defaults, json: false }).map(([name, value]) => [
        name,
        typeof value === 'boolean'
          ? { type: 'boolean' as const, default: value }
          : { type: 'string' as const, default: String(value) },
      ]),
    ),
  })
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof defaults[name] === 'number' ? Number(value) : value,
    ]),
  ) as Flags<T> & { readonly json: boolean }
}

/** Prints a result, with `--json` as one line of JSON. Sets exit code 1 if an aim is missed. */
export function tell(measured: z.input<typeof benchResult>): void {
  const result = benchResult.parse(measured)
  const { what, unit, ours, peers, details, table, aims, how } = result
  const lines = [
    `${what}: ${ours} ${unit}`,
    ...Object.entries(peers).map(
      ([name, value]) => `  ${name}: ${value} ${unit} (ratio ${ratiosOf(result)[name]})`,
    ),
    ...Object.entries(details).map(([name, value]) => `  ${name}: ${value}`),
    ...(table ? [table.columns, ...table.rows].map((row) => `  ${row.join(' | ')}`) : []),
    ...aims.map((aim) => `  ${aim.isMet ? 'met' : 'MISSED'}: ${aim.what}`),
    how,
  ]
  process.stdout.write(
    process.argv.includes('--json') ? `${JSON.stringify(result)}\n` : `${lines.join('\n')}\n`,
  )
  if (aims.some(({ isMet }) => !isMet)) process.exitCode = 1
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

export function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

/** Rounds to three digits, which is as precise as a run can be. A tiny number becomes 0. */
export function round(value: number): number {
  return Math.abs(value) < 0.005 ? 0 : Number(value.toPrecision(3))
}
