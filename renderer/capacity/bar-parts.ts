import type { RequestQuota } from '../../app/contract/snapshot.ts'

/** Parts of a bar in per cent of the limit. Rounded to a tenth, so that smaller changes cause no render. */
export interface BarParts {
  /** The part that is certainly left. Drawn solid. */
  readonly low: number
  /** The additional part that is possibly left. Drawn hatched. */
  readonly possible: number
}

export function barParts({ low, high, limit }: Pick<RequestQuota, 'low' | 'high' | 'limit'>): BarParts {
  const [from, to] = [percent(low, limit), percent(high, limit)]
  return { low: from, possible: Math.max(0, Math.round((to - from) * 10) / 10) }
}

function percent(part: number, whole: number): number {
  return whole > 0 ? Math.round(Math.min(1, Math.max(0, part / whole)) * 1000) / 10 : 0
}
