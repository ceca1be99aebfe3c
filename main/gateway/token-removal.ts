import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream'
import { codingsNamed, decoded, decodersOf, textIn } from '../network/content-codings.ts'
import type { ForwardAnswer } from '../network/forward-http.ts'
import { valuesOf } from '../network/request-gate.ts'
import { REDACTED, spellingsOf } from '../ports/redactor.ts'

/** What was read of an answer's body before it is passed on. `rest`: what is still to be read of it. */
export interface Begun {
  readonly bytes: Buffer
  readonly rest: 'none' | 'to-come' | 'cut'
}

export interface BegunAnswer {
  readonly answer: ForwardAnswer
  /** Absent where nothing was read that its body does not bring again. */
  readonly begun?: Begun
}

/** Fields that no longer hold for a body that was decoded or changed. */
const OF_THE_BYTES: ReadonlySet<string> = new Set([
  'content-digest',
  'content-encoding',
  'content-length',
  'content-md5',
  'digest',
  'repr-digest',
])

/** Shorter parts of base64 also occur in other text. */
const MIN_BASE64 = 12

/**
 * The ways in which a service may repeat a token in an error: those of `spellingsOf`, with escapes of JSON or
 * HTML for all but letters, digits and `._~-`, and in base64 at each of its three alignments.
 */
function echoesOf(secret: string): readonly string[] {
  const escaped = (as: (code: number) => string) =>
    secret.replace(/[^\w.~-]/g, (character) => as(character.charCodeAt(0)))
  const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(`${'\0'.repeat(before)}${secret}`)
    // Characters at either end also depend on what stands beside the secret.
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)]
    return [bytes.toString('base64').slice(from, to), bytes.toString('base64url').slice(from, to)]
  })
  return [
    ...new Set([
      ...spellingsOf(secret),
      escaped((code) => `\\u${hex(code, 4)}`),
      escaped((code) => `\\u${hex(code, 4).toUpperCase()}`),
      escaped((code) => `&#${code};`),
      escaped((code) => `&#x${hex(code, 2)};`),
      escaped((code) => `&#x${hex(code, 2).toUpperCase()};`),
      ...inBase64.filter(({ length }) => length >= MIN_BASE64),
    ]),
  ]
}

/** The spellings of the latest token: each answer is searched for them. */
let latest: { readonly token: string; readonly spellings: readonly string[] } = { token: '', spellings: [] }

/** Longest first: one spelling may be the beginning of another. Header fields and bodies are searched as latin1. */
function latestEchoes(token: string): readonly string[] {
  if (latest.token !== token) {
    const spellings = echoesOf(token).map((spelling) => Buffer.from(spelling).toString('latin1'))
    latest = { token, spellings: spellings.sort((a, b) => b.length - a.length) }
  }
  return latest.spellings
}

/** Removes an access token from what the service sends back to programs, in each of its spellings. */
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

  /** How much of the end of a text may be the beginning of the token. */
  begunIn(text: string): number {
    return Math.max(...this.#spellings.map((spelling) => overlapOf(text, spelling)))
  }

  /**
   * An error of the service without the token in its body. One that is known whole and does not carry it stays as it is,
   * byte for byte; any other is decoded and cleaned, as it is read where its end is not there yet.
   */
  fromError({ answer, begun }: Required<BegunAnswer>): BegunAnswer {
    const { bytes, rest } = begun
    const codings = codingsOf(answer)
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

/** A body without the token, wherever its chunks begin and end. */
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

/** The longest end of `text` that `spelling` begins with, but for the whole of it. */
function overlapOf(text: string, spelling: string): number {
  for (let length = Math.min(text.length, spelling.length - 1); length > 0; length -= 1)
    if (text.endsWith(spelling.slice(0, length))) return length
  return 0
}

function withoutFields({ rawHeaders }: ForwardAnswer, isStillEncoded: boolean): string[] {
  return rawHeaders.filter((_, i) => {
    const name = (rawHeaders[i - (i % 2)] ?? '').toLowerCase()
    return !OF_THE_BYTES.has(name) || (isStillEncoded && name === 'content-encoding')
  })
}

const codingsOf = ({ rawHeaders }: ForwardAnswer): readonly string[] =>
  codingsNamed(valuesOf(rawHeaders, 'content-encoding').join(','))

/** What was read of an answer, as text: decoded, where that can be done. */
export const textOf = ({ answer, begun }: Required<BegunAnswer>): string =>
  textIn(begun.bytes, codingsOf(answer))
