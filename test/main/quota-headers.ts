import type { HttpHeaders } from '../../app/service/headers.ts'

/** The headers of a quota of five minutes, as the service writes them. */
export const quotaHeaders = (remaining: number, resetSeconds: number, limit = 320): HttpHeaders => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-period': '300',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetSeconds),
})
