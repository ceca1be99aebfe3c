/**
 * Numbers from 0 to below 1, the same ones in each run: a plan that is asked about twice gets the same day (mulberry32).
 */
export function seededChance(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
