/**
 * A repeatable random number in [0, 1). The same seed and words always give the same number.
 *
 * Payloads are functions of (seed, name, time), so that a request, a stream and a test agree on a price.
 */
export function unitOf(seed: number, ...words: readonly (string | number)[]): number {
  let hash = (seed ^ 0x811c9dc5) >>> 0
  for (const word of words) {
    for (const letter of `${word}|`) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

/** A whole number in [low, high], always the same for the same seed and words. */
export const wholeOf = (seed: number, low: number, high: number, ...words: readonly (string | number)[]) =>
  low + Math.floor(unitOf(seed, ...words) * (high - low + 1))

/** A repeatable sequence of numbers in [0, 1). */
export function sequenceOf(seed: number, ...words: readonly (string | number)[]): () => number {
  let count = 0
  return () => unitOf(seed, ...words, count++)
}

/** Start of the interval of `lengthMs` that contains `atMs`, epoch ms. */
export const intervalStart = (atMs: number, lengthMs: number): number =>
  Math.floor(atMs / lengthMs) * lengthMs
