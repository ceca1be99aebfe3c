import type { HttpHeaders } from '../../app/service/headers.ts'

/** The headers of a quota, as the service writes them. */
export const quotaHeaders = (
  remaining: number,
  resetSeconds: number,
  { limit = 320, periodSeconds = 300 } = {},
): HttpHeaders => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-period': String(periodSeconds),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetSeconds),
})
