import type { HeaderReading } from './headers.ts'
import { memberOf, parseJson } from './json.ts'

/**
 * The limit that a 429 reports (service 8.2): the request rate or the number of streams. `unattributed` if
 * the 429 names no limit.
 */
export type RefusedBy = 'rate' | 'concurrency' | 'unattributed'

/**
 * Distinguishes the two kinds of 429 (service 7), by the first of these signs:
 * 1. A known Message in the body. Headers alone can mislead: the request quota may have rejected a request
 *   while all slots are in use.
 * 2. Concurrency headers with Remaining 0. The 429 is about the number of streams.
 * 3. Rate headers. The 429 is about the request rate.
 *
 * A 429 without any of these signs comes from a proxy, or from a quota without headers (service 13). It shows
 * nothing about the requests left.
 */
export function refusedBy({ rate, concurrency }: HeaderReading, body: string): RefusedBy {
  const sent = memberOf(parseJson(body), 'Message')
  const message = typeof sent === 'string' ? sent.trim() : undefined
  if (message === 'Rate quota exceeded') return 'rate'
  if (message === 'Stream quota exceeded') return 'concurrency'
  if (concurrency?.remaining === 0) return 'concurrency'
  return rate ? 'rate' : 'unattributed'
}

const MAX_MESSAGE = 200
/**
 * Number of characters that are searched for secrets before a text is shortened. It exceeds the length of any
 * shortened text, so that a secret at the cut is still complete during the search.
 */
export const MAX_CLEANED = 2_000

/**
 * The readable text of an error body (service 2.3): `Message`, or else `Error`, as one line of at most 200
 * characters. `undefined` if both are missing. `clean` removes secrets, because a service may repeat them.
 */
export function errorMessage(body: string, clean: (text: string) => string): string | undefined {
  const parsed = parseJson(body)
  const said = [memberOf(parsed, 'Message'), memberOf(parsed, 'Error')].find(
    (text): text is string => typeof text === 'string' && text.trim() !== '',
  )
  if (said === undefined) return undefined
  const line = clean(said.slice(0, MAX_CLEANED))
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
  return line === '' ? undefined : line.slice(0, MAX_MESSAGE).toWellFormed()
}
