/** When an unknown outcome is looked up, in milliseconds since it became unknown. */
export const LOOKUP_AT_MS = [1_000, 5_000, 15_000, 30_000, 60_000] as const

/** From when on a list without the order means that it was not found. */
export const LAST_LOOKUP_MS = 60_000

/** Between lookups after the last one, while no list could be read. */
const AGAIN_MS = 30_000

/**
 * When to look up next, after the latest lookup that read a list or failed to; `lookedUpMs` and the result are
 * milliseconds since the outcome became unknown.
 */
export function nextLookupMs(lookedUpMs: number | undefined): number {
  if (lookedUpMs === undefined) return LOOKUP_AT_MS[0]
  return LOOKUP_AT_MS.find((atMs) => atMs > lookedUpMs) ?? lookedUpMs + AGAIN_MS
}
