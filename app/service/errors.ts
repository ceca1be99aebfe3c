import type { HttpHeaders } from './answer.ts'
import { readHeaders } from './headers.ts'
import { parseJson } from './json.ts'

/** What a 429 refused: a request (service 8.2, quota), a stream (concurrent), or it does not say. */
export type RefusedBy = 'rate' | 'concurrency' | 'unsaid'

/**
 * Tells the two 429s of service 7 apart.
 *
 * The body's Message decides when it is one of the two known values: slots may be legitimately full while the
 * rate is what refused. Without it, whichever set of headers says 0, and the rate where it sent only its own. A 429
 * with none of these is a proxy's, or of a quota that is not in the table: it shows nothing about what is left.
 */
export function refusedBy(headers: HttpHeaders, body: string): RefusedBy {
  const message = messageOf(body)
  if (message === 'Rate quota exceeded') return 'rate'
  if (message === 'Stream quota exceeded') return 'concurrency'
  const { concurrency, rate } = readHeaders(headers)
  if (concurrency?.remaining === 0) return 'concurrency'
  return rate ? 'rate' : 'unsaid'
}

function messageOf(body: string): string | undefined {
  try {
    const parsed: unknown = parseJson(body)
    if (typeof parsed !== 'object' || parsed === null || !('Message' in parsed)) return undefined
    return typeof parsed.Message === 'string' ? parsed.Message.trim() : undefined
  } catch {
    return undefined
  }
}
