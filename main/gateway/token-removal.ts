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

/** Removes an access token from what the service sends back to programs, in each of its spellings. */
export class TokenRemoval {
  readonly #token: string
  #known: readonly string[] | undefined

  constructor(token: string) {
    this.#token = token
  }

  /** Longest first: one spelling may be the beginning of another. Header fields and bodies are searched as latin1. */
  get #spellings(): readonly string[] {
    this.#known ??= spellingsOf(this.#token)
      .map((spelling) => Buffer.from(spelling).toString('latin1'))
      .sort((a, b) => b.length - a.length)
    return this.#known
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
