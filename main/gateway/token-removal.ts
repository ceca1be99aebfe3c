import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream'
import { codingsNamed, decoded, decodersOf, textIn } from '../network/content-codings.ts'
import type { ForwardAnswer } from '../network/forward-http.ts'
import { valuesOf } from '../network/request-gate.ts'
import { REDACTED, spellingsOf } from '../ports/redactor.ts'

/** The part of a response's body that was read before relaying. `rest`: the state of the remainder. */
export interface Begun {
  readonly bytes: Buffer
  readonly rest: 'none' | 'to-come' | 'cut'
}

export interface BegunAnswer {
  readonly answer: ForwardAnswer
  /** The part of the body that was read. Absent if the body can still be read from its first byte. */
  readonly begun?: Begun
}

/** Headers that no longer apply to a body that was decoded or changed. */
const OF_THE_BYTES: ReadonlySet<string> = new Set([
  'content-digest',
  'content-encoding',
  'content-length',
  'content-md5',
  'digest',
  'repr-digest',
])

/** Minimum length of a hexadecimal or base64 form to search for. Shorter ones occur by chance. */
const MIN_CODED = 12

/**
 * The forms in which a service may repeat a token in an error:
 * - those of `spellingsOf`
 * - with JSON or HTML escapes for everything except letters, digits and `._~-`
 * - in hexadecimal
 * - in base64, at each of the three alignments
 */
function echoesOf(secret: string): readonly string[] {
  const escaped = (as: (code: number) => string) =>
    secret.replace(/[^\w.~-]/g, (character) => as(character.charCodeAt(0)))
  const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(`${'\0'.repeat(before)}${secret}`)
    // The first and last characters also encode bytes next to the token, so they are left out.
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)]
    return [bytes.toString('base64').slice(from, to), bytes.toString('base64url').slice(from, to)]
  })
  const lowerHex = Buffer.from(secret).toString('hex')
  const inHex = [lowerHex, lowerHex.toUpperCase()]
  return [
    ...new Set([
      ...spellingsOf(secret),
      escaped((code) => `\\u${hex(code, 4)}`),
      escaped((code) => `\\u${hex(code, 4).toUpperCase()}`),
      escaped((code) => `&#${code};`),
      escaped((code) => `&#x${hex(code, 2)};`),
      escaped((code) => `&#x${hex(code, 2).toUpperCase()};`),
      ...[...inHex, ...inBase64].filter(({ length }) => length >= MIN_CODED),
    ]),
  ]
}

/** The spellings of the latest token. Cached, because each response is searched for them. */
let latest: { readonly token: string; readonly spellings: readonly string[] } = { token: '', spellings: [] }

/**
 * The spellings of a token as latin1, the encoding in which headers and bodies are searched. The longest is
 * first, because one spelling may start with another.
 */
function latestEchoes(token: string): readonly string[] {
  if (latest.token !== token) {
    const spellings = echoesOf(token).map((spelling) => Buffer.from(spelling).toString('latin1'))
    latest = { token, spellings: spellings.sort((a, b) => b.length - a.length) }
  }
  return latest.spellings
}

/** Removes an access token, in all its spellings, from everything that the gateway relays to programs. */
export class TokenRemoval {
  readonly #token: string

  constructor(token: string) {
    this.#token = token
  }

  get #spellings(): readonly string[] {
    return latestEchoes(this.#token)
  }

  isIn(text: string): boolean {
    return this.#spellings.some((spelling) => text.includes(spelling))
  }

  from(text: string): string {
    return this.#spellings.reduce((clean, spelling) => clean.replaceAll(spelling, REDACTED), text)
  }

  /** How many characters at the end of a text could be the start of the token. */
  begunIn(text: string): number {
    return Math.max(...this.#spellings.map((spelling) => overlapOf(text, spelling)))
  }

  /**
   * The service's error with the token removed from its body.
   *
   * A complete body without the token stays unchanged, byte for byte. Any other body is decoded and cleaned.
   * If the body is still arriving, it is cleaned as it arrives. A body in an unknown encoding is left out,
   * because the token can't be found in it.
   */
  fromError({ answer, begun }: Required<BegunAnswer>): BegunAnswer {
    const { bytes, rest } = begun
    const codings = codingsOf(answer)
    if (decodersOf(codings, bytes) === undefined && (bytes.length > 0 || rest !== 'none'))
      return withoutBody(answer, rest)
    const plain = rest === 'to-come' ? undefined : decoded(bytes, codings)
    if (plain === 'too-large' || plain === undefined) return this.#asItIsRead(answer, begun, codings)
    const text = (plain === 'unknown' ? bytes : plain).toString('latin1')
    if (!this.isIn(text)) return { answer, begun }
    const clean = Buffer.from(this.from(text), 'latin1')
    const changed = { ...answer, rawHeaders: withoutFields(answer, plain === 'unknown') }
    if (rest === 'none') changed.rawHeaders.push('Content-Length', String(clean.length))
    return { answer: changed, begun: { bytes: clean, rest } }
  }

  #asItIsRead(answer: ForwardAnswer, { bytes, rest }: Begun, codings: readonly string[]): BegunAnswer {
    const source = answer.body
    if (rest === 'to-come') source.unshift(bytes)
    const from = rest === 'to-come' ? source : Readable.from([bytes])
    const decoders = decodersOf(codings, bytes)
    const clean = new CleanedBody(this, () => rest === 'none' || (rest === 'to-come' && source.complete))
    pipeline([from, ...(decoders ?? []), clean], () => {})
    return {
      answer: { ...answer, rawHeaders: withoutFields(answer, decoders === undefined), body: clean },
    }
  }
}

/** A body from which the token is removed, even across chunk boundaries. */
class CleanedBody extends Transform {
  readonly #removal: TokenRemoval
  readonly #isComplete: () => boolean
  #held = ''

  constructor(removal: TokenRemoval, isComplete: () => boolean) {
    super()
    this.#removal = removal
    this.#isComplete = isComplete
  }

  get complete(): boolean {
    return this.#isComplete()
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = this.#removal.from(this.#held + chunk.toString('latin1'))
    const passed = text.length - this.#removal.begunIn(text)
    this.#held = text.slice(passed)
    done(null, Buffer.from(text.slice(0, passed), 'latin1'))
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(this.#held, 'latin1'))
  }
}

/** Length of the longest proper prefix of `spelling` with which `text` ends. */
function overlapOf(text: string, spelling: string): number {
  for (let length = Math.min(text.length, spelling.length - 1); length > 0; length -= 1)
    if (text.endsWith(spelling.slice(0, length))) return length
  return 0
}

function withoutBody(answer: ForwardAnswer, rest: Begun['rest']): BegunAnswer {
  if (rest === 'to-come') answer.body.destroy()
  const rawHeaders = [...withoutFields(answer, false), 'Content-Length', '0']
  return { answer: { ...answer, rawHeaders }, begun: { bytes: Buffer.alloc(0), rest: 'none' } }
}

function withoutFields({ rawHeaders }: ForwardAnswer, isStillEncoded: boolean): string[] {
  return rawHeaders.filter((_, i) => {
    const name = (rawHeaders[i - (i % 2)] ?? '').toLowerCase()
    return !OF_THE_BYTES.has(name) || (isStillEncoded && name === 'content-encoding')
  })
}

const codingsOf = ({ rawHeaders }: ForwardAnswer): readonly string[] =>
  codingsNamed(valuesOf(rawHeaders, 'content-encoding').join(','))

/** The part of a response that was read, as text, decoded if possible. */
export const textOf = ({ answer, begun }: Required<BegunAnswer>): string =>
  textIn(begun.bytes, codingsOf(answer))
