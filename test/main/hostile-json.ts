import fc from 'fast-check'

/** Values of a field written by another program, or on a damaged disk. */
export const hostileJsonValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    0.5,
    1,
    2,
    3_600_000,
    1e308,
    2 ** 53,
    -(2 ** 63),
    '',
    [],
    {},
  ),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '\u0000',
    '\u202e',
    '\ud800',
    'dark',
    'positions',
  ),
  fc.double(),
  fc.string({ maxLength: 8 }),
  fc.constantFrom<unknown>('x'.repeat(65), 'x'.repeat(2000), [[[]]], [null], { a: { b: [1] } }),
)

/** `good`, with some of its members replaced or left out, or with others added. */
function altered(good: unknown): fc.Arbitrary<unknown> {
  if (typeof good !== 'object' || good === null) return fc.oneof(fc.constant(good), hostileJsonValue)
  if (Array.isArray(good))
    return fc.oneof(
      { weight: 4, arbitrary: fc.tuple(...good.map(altered)) },
      { weight: 1, arbitrary: hostileJsonValue },
    )
  const fields = Object.entries(good)
  const kept = fc.record(Object.fromEntries(fields.map(([name, value]) => [name, altered(value)])), {
    requiredKeys: [],
  })
  const surplus = fc.dictionary(
    fc.constantFrom('__proto__', 'constructor', 'toString', 'surplus', '', 'a.b'),
    hostileJsonValue,
    { maxKeys: 1 },
  )
  return fc.oneof(
    { weight: 6, arbitrary: fc.tuple(kept, surplus).map(([some, more]) => ({ ...some, ...more })) },
    { weight: 1, arbitrary: hostileJsonValue },
  )
}

const CUTS = [
  (text: string, at: number) => text.slice(0, at),
  (text: string, at: number) => `${text.slice(0, at)}\u0000${text.slice(at + 1)}`,
  (text: string, at: number) => text.slice(0, at) + text.slice(at + 1),
  (text: string, at: number) => text + text.slice(0, at),
]

/** Bytes of a file that should contain `good`: almost the same, a piece of it, or anything. */
export function hostileFile(good: unknown): fc.Arbitrary<Uint8Array> {
  const text = JSON.stringify(good)
  const nearly = altered(good).map((value) => JSON.stringify(value) ?? '')
  const cut = fc.tuple(fc.constantFrom(...CUTS), fc.nat(text.length)).map(([change, at]) => change(text, at))
  const odd = fc.constantFrom(
    '',
    '\ufeff{}',
    '{}{}',
    '['.repeat(5_000),
    '{"a":'.repeat(2_000),
    '1e999',
    'NaN',
    '"',
  )
  return fc.oneof(
    { weight: 12, arbitrary: nearly.map((value) => Buffer.from(value)) },
    { weight: 3, arbitrary: cut.map((value) => Buffer.from(value)) },
    { weight: 1, arbitrary: odd.map((value) => Buffer.from(value)) },
    { weight: 1, arbitrary: fc.string().map((value) => Buffer.from(value, 'utf16le')) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  )
}
