import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import { exampleQuota } from '../../main/hosts/terminal/example-snapshot.ts'

/** A row of a quota that does not run out, as a header showed it. */
export function exampleRow(fields: Partial<RequestQuota> = {}): RequestQuota {
  const { observedAt: _, nextAt: __, fullAt: ___, ...row } = exampleQuota()
  const left = { remaining: 200, low: 200, high: 200, level: 200 }
  return { ...row, category: 'Positions', ...left, use: null, asOf: 0, slope: 0, ...fields }
}
