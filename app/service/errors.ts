import type { HeaderReading } from './headers.ts'
import { parseJson } from './json.ts'

/** The limit that a 429 reports (service 8.2): requests, streams, or not said. */
export type RefusedBy = 'rate' | 'concurrency' | 'unsaid'

/**
 * Tells the two kinds of 429 apart (service 7).
 *
 * The body's Message decides where it has one of its two values: slots can be full while the request quota refuses.
 * Otherwise the concurrency headers where they say 0, then the rate headers. A 429 without all of these comes from a proxy,
 * or from a quota without headers (service 13): it shows nothing about what is left.
 */
export function refusedBy({ rate, concurrency }: HeaderReading, body: string): RefusedBy {
  const message = messageOf(body)
  if (message === 'Rate quota exceeded') return 'rate'
  if (message === 'Stream quota exceeded') return 'concurrency'
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
