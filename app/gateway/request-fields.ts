/** Default and maximum time that a caller waits for its turn. Milliseconds. */
export const CALLER_WAIT_MS = { usual: 30_000, max: 300_000 } as const

/**
 * Matches the preferences of a `Prefer` header, which are separated by commas. A quoted string may contain a
 * comma. An unclosed string extends to the end of the header, which keeps the matching time linear.
 */
const PREFERENCE = /(?:"(?:[^"\\]|\\.?)*(?:"|$)|[^",])+/g
const WAIT = /^\s*wait\s*=\s*(?:"(\d+)"|(\d+))\s*(?:;|$)/i

/**
 * The maximum wait that a request sets by `Prefer: wait=N` (N in seconds, RFC 7240 4.3), in milliseconds.
 *
 * Of several preferences, the first counts (RFC 7240 2). A value that is not a number is ignored.
 */
export function maxWaitMsOf(prefer: string | undefined): number {
  for (const preference of prefer?.match(PREFERENCE) ?? []) {
    const [, quoted, bare] = WAIT.exec(preference) ?? []
    const seconds = quoted ?? bare
    if (seconds !== undefined) return Math.min(CALLER_WAIT_MS.max, Number(seconds) * 1000)
  }
  return CALLER_WAIT_MS.usual
}

/** The parts of a request that decide whether it can share a response with another request. */
export interface AnswerSelector {
  readonly method: string
  /** As received, byte for byte. */
  readonly pathAndQuery: string
  readonly accept: string | undefined
  readonly acceptEncoding: string | undefined
}

/**
 * A key that is equal for requests that can share one response. `undefined` for a request that is never
 * shared. Only GET is shared.
 */
export function sameAsOf({
  method,
  pathAndQuery,
  accept,
  acceptEncoding,
}: AnswerSelector): string | undefined {
  return method === 'GET' ? JSON.stringify([pathAndQuery, accept, acceptEncoding]) : undefined
}
