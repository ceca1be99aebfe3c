/** What was said or left somewhere, under a name that a failing test can print. */
export interface Trace {
  readonly where: string
  readonly bytes: Uint8Array | string
}

/** So many characters of a secret in a row are a part of it. */
const PART = 8

/**
 * Where a secret, or a part of one, is found: as it is, percent-encoded, as hex, and as base64 at any alignment.
 *
 * Names what leaked and where, never the secret, because a test's output is kept too.
 */
export function leaksOf(
  secrets: Readonly<Record<string, string>>,
  traces: readonly Trace[],
): readonly string[] {
  const places = traces.map(({ where, bytes }) => ({ where, bytes: Buffer.from(bytes) }))
  return Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret).flatMap(({ form, parts }) =>
      places
        .filter(({ bytes }) => parts.some((part) => bytes.includes(part)))
        .map(({ where }) => `${name}, ${form}, in ${where}`),
    ),
  )
}

function formsOf(secret: string) {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  // The bytes before a secret move where its groups of three begin; what straddles an edge is left out.
  const base64 = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const inner = text.slice(shift === 0 ? 0 : shift + 1, -1)
    return partsOf(inner, Math.ceil((PART * 4) / 3))
  })
  return [
    { form: 'as it is', parts: partsOf(secret, PART) },
    { form: 'percent-encoded', parts: partsOf(encodeURIComponent(secret), PART) },
    { form: 'hex', parts: [...partsOf(hex, 2 * PART), ...partsOf(hex.toUpperCase(), 2 * PART)] },
    {
      form: 'base64',
      parts: [...base64, ...base64.map((part) => part.replace(/\+/g, '-').replace(/\//g, '_'))],
    },
  ]
}

function partsOf(text: string, length: number): readonly string[] {
  const count = Math.max(1, text.length - length + 1)
  return Array.from({ length: count }, (_, at) => text.slice(at, at + length))
}
