import fc from 'fast-check'

/**
 * Integers that SQLite accepts: some at the edges of 32, 53 and 64 bits, and some near the values `near` of a
 * column.
 */
export const hostileInteger = (...near: readonly number[]): fc.Arbitrary<number | bigint> =>
  fc.oneof(
    fc.constantFrom<number | bigint>(
      0,
      -1,
      1,
      2 ** 31,
      2 ** 53,
      2n ** 53n + 1n,
      2n ** 63n - 1n,
      -(2n ** 63n),
      ...near,
    ),
    fc.maxSafeInteger(),
  )
