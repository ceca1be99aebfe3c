/** Something that the program printed or left somewhere, with a name that a failing test can print. */
export interface Trace {
  readonly where: string
  readonly bytes: Uint8Array | string
}

/** A part of a secret is this many consecutive characters or more. */
const PART = 8

/**
 * Finds where a secret, or a part of it, occurs: unchanged, in two bytes per character (as in a memory dump),
 * escaped for an address, a form, JSON or a page, as hex, and as base64 at any alignment.
 *
 * Returns what leaked and where, never the secret itself, because a test's output is stored too.
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
  // Base64 encodes groups of three bytes. The bytes before a secret decide where these groups begin.
  // Characters that also encode bytes outside the secret are left out.
  const base64 = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const inner = text.slice(shift === 0 ? 0 : shift + 1, -1)
    return partsOf(inner, Math.ceil((PART * 4) / 3))
  })
  const each = (spelt: (byte: number) => string) => [...bytes].map(spelt)
  const hexOf = (byte: number) => byte.toString(16).padStart(2, '0')
  const escapes = [
    // Escapes every byte, even if it needs no escape.
    each((byte) => `%${hexOf(byte)}`),
    each((byte) => `\\x${hexOf(byte)}`),
    each((byte) => `\\u00${hexOf(byte)}`),
    each((byte) => `&#${byte};`),
    each((byte) => `&#x${hexOf(byte)};`),
  ]
  return [
    { form: 'as it is', parts: partsOf(secret, PART) },
    {
      form: 'in two bytes a character',
      parts: partsOf(secret, PART).map((part) => Buffer.from(part, 'utf16le')),
    },
    {
      form: 'percent-encoded',
      parts: [encodeURIComponent(secret), new URLSearchParams({ s: secret }).toString().slice(2)].flatMap(
        (text) => partsOf(text, PART),
      ),
    },
    {
      form: 'escaped',
      parts: [
        ...partsOf(JSON.stringify(secret).slice(1, -1), PART),
        ...partsOf(JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'), PART),
        ...partsOf(encodeURIComponent(encodeURIComponent(secret)), PART),
        ...escapes.flatMap((spelt) => runsOf(spelt, PART).flatMap((run) => [run, run.toUpperCase()])),
      ],
    },
    { form: 'hex', parts: [...partsOf(hex, 2 * PART), ...partsOf(hex.toUpperCase(), 2 * PART)] },
    {
      form: 'base64',
      parts: [...base64, ...base64.map((part) => part.replace(/\+/g, '-').replace(/\//g, '_'))],
    },
  ]
}

const partsOf = (text: string, length: number) => runsOf([...text], length)

/** Each run of `length` consecutive pieces, or all of them if there are fewer. */
function runsOf(pieces: readonly string[], length: number): readonly string[] {
  const count = Math.max(1, pieces.length - length + 1)
  return Array.from({ length: count }, (_, at) => pieces.slice(at, at + length).join(''))
}
