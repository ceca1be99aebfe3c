/** How long a caller waits for its turn unless it says so, and at most. */
export const PATIENCE_MS = { usual: 30_000, max: 300_000 } as const

/** Preferences are separated by commas, which a quoted string may contain. */
const PREFERENCE = /(?:"(?:[^"\\]|\\.)*"|[^",])+/g
const WAIT = /^\s*wait\s*=\s*(?:"(\d+)"|(\d+))\s*(?:;|$)/i

/**
 * The patience that a request asks for by `Prefer: wait=N`, N in seconds (RFC 7240 4.3), in milliseconds.
 *
 * Of several the first counts (RFC 7240 2). One that is no number says nothing.
 */
export function patienceMsOf(prefer: string | undefined): number {
  for (const preference of prefer?.match(PREFERENCE) ?? []) {
    const [, quoted, bare] = WAIT.exec(preference) ?? []
    const seconds = quoted ?? bare
    if (seconds !== undefined) return Math.min(PATIENCE_MS.max, Number(seconds) * 1000)
  }
  return PATIENCE_MS.usual
}

/** What of a request decides whether one answer serves it and another one. */
export interface AnswerSelector {
  readonly method: string
  /** As it came, byte for byte. */
  readonly pathAndQuery: string
  readonly accept: string | undefined
  readonly acceptEncoding: string | undefined
}

/** Equal for requests that one answer serves; `undefined` for one that shares none. Only GET is shared. */
export function sameAsOf({
  method,
  pathAndQuery,
  accept,
  acceptEncoding,
}: AnswerSelector): string | undefined {
  return method === 'GET' ? JSON.stringify([pathAndQuery, accept, acceptEncoding]) : undefined
}
