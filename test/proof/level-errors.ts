import { ReferenceService, type Rule } from '../app/quota/reference-service.ts'

/** What a machine showed of a row at one time. */
export interface LevelSample {
  readonly machine: string
  readonly category: string
  /** Epoch ms. */
  readonly atMs: number
  readonly level: number
  readonly low: number
  readonly high: number
}

export interface LevelErrors {
  readonly samples: number
  /** Errors of the level, in requests. */
  readonly mean: number
  readonly worst: LevelSample & { readonly truth: number }
  /** Share of samples whose bounds contain the service's level. */
  readonly within: number
}

interface ServedRow {
  readonly rule: Rule
  /** The level when the service started, and the time of that start in epoch ms. */
  readonly startLevel: number
  readonly startMs: number
  /** Times at which the service accepted a request, in order. Epoch ms. */
  readonly acceptedMs: readonly number[]
}

/** Compares samples with the service's own level at the same moment. */
export function levelErrors(
  rows: Readonly<Record<string, ServedRow>>,
  samples: readonly LevelSample[],
): LevelErrors {
  const compared = Object.entries(rows).flatMap(([category, row]) => {
    const service = new ReferenceService(row.rule, row.startLevel, row.startMs)
    let next = 0
    return samples
      .filter((sample) => sample.category === category)
      .toSorted((a, b) => a.atMs - b.atMs)
      .map((sample) => {
        for (; (row.acceptedMs[next] ?? Number.POSITIVE_INFINITY) <= sample.atMs; next += 1)
          service.spend(row.acceptedMs[next] ?? 0)
        return { ...sample, truth: service.level(sample.atMs) }
      })
  })
  const errorOf = ({ level, truth }: (typeof compared)[number]) => Math.abs(level - truth)
  const [worst] = compared.toSorted((a, b) => errorOf(b) - errorOf(a))
  if (worst === undefined) throw new Error('no samples of a level')
  const isWithin = ({ low, high, truth }: (typeof compared)[number]) =>
    low <= truth && Math.floor(truth) <= high
  return {
    samples: compared.length,
    mean: compared.reduce((sum, one) => sum + errorOf(one), 0) / compared.length,
    worst,
    within: compared.filter(isWithin).length / compared.length,
  }
}
