import type { RequestQuota } from '../../../app/contract/snapshot.ts'

/** A row of a quota that does not run out, as a header showed it. */
export const exampleRow = (fields: Partial<RequestQuota> = {}): RequestQuota => ({
  category: 'Positions',
  model: 'rolling',
  confidence: 'observed',
  limit: 320,
  period: 300,
  remaining: 200,
  low: 200,
  high: 200,
  source: 'header',
  use: null,
  rejected: 0,
  level: 200,
  asOf: 0,
  slope: 0,
  verdict: 'lasts',
  state: 'ok',
  threshold: 0.2,
  ...fields,
})
