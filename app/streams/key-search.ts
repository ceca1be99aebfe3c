const BACKSLASH = 0x5c
const WORD_BYTES = 4
/** Shift that converts a byte index to a word index. A division would give a fraction. */
const WORD_SHIFT = 2
const STEP_WORDS = 2

/**
 * The first eleven bytes of each long key. The search reads every second four-byte word of a chunk, and any
 * eleven bytes contain one of these words completely.
 */
const LONG_PIECES = ['"Heartbeat"', '"StreamStat'] as const
const LETTER = { E: 0x45, r: 0x72, o: 0x6f } as const

/**
 * Factor of a hash function. It maps each word to a different one of 64 slots, in either byte order.
 * `tableOf` verifies this.
 */
const SPREAD = 0x9e377a77
const WORDS = wordsOf(LONG_PIECES)
const TABLE = tableOf(WORDS)
/** For each byte value, whether any of the words ends with it. This lookup rules out most words. */
const TOP_BYTES = topBytesOf(WORDS)

/**
 * Finds places in a chunk that may start a frame without data, such as a heartbeat. Such a frame is
 * recognised by a key that frames with data do not have. Does not parse.
 *
 * A key is in quotes, and only a `\u` escape can spell a letter differently (RFC 8259, 7). So a chunk with
 * such a key contains a backslash, `Erro` or one of `LONG_PIECES`. A match may be a false positive, so a full
 * parse decides. The search reads about every eighth byte, at several GB/s.
 */
export class KeySearch {
  readonly #chunk: Uint8Array
  readonly #words: Int32Array
  #escapeAt = -1
  #errorAt = -1

  constructor(chunk: Uint8Array) {
    this.#chunk = chunk
    // A view of the whole buffer, because a chunk rarely starts at a word boundary.
    this.#words = new Int32Array(chunk.buffer, 0, (chunk.byteOffset + chunk.length) >>> WORD_SHIFT)
  }

  /** Index of the first possible key at or after `from`. The chunk's length if no key is found. */
  firstFrom(from: number): number {
    if (this.#escapeAt < from) this.#escapeAt = this.#orEnd(this.#chunk.indexOf(BACKSLASH, from))
    if (this.#errorAt < from) this.#errorAt = this.#errorFrom(from)
    return this.#longKeyFrom(from, Math.min(this.#escapeAt, this.#errorAt))
  }

  #errorFrom(from: number): number {
    const chunk = this.#chunk
    let at = chunk.indexOf(LETTER.E, from)
    while (
      at >= 0 &&
      !(chunk[at + 1] === LETTER.r && chunk[at + 2] === LETTER.r && chunk[at + 3] === LETTER.o)
    ) {
      at = chunk.indexOf(LETTER.E, at + 1)
    }
    return this.#orEnd(at)
  }

  #longKeyFrom(from: number, end: number): number {
    const base = this.#chunk.byteOffset
    const words = this.#words
    const last = (base + end) >>> WORD_SHIFT
    for (let at = (base + from + WORD_BYTES - 1) >>> WORD_SHIFT; at < last; at += STEP_WORDS) {
      const word = words[at] as number
      if (TOP_BYTES[word >>> 24] === 1 && TABLE[placeOf(word)] === word) {
        return Math.max(from, at * WORD_BYTES - base)
      }
    }
    return end
  }

  #orEnd(at: number): number {
    return at < 0 ? this.#chunk.length : at
  }
}

function placeOf(word: number): number {
  return Math.imul(word, SPREAD) >>> 26
}

function wordsOf(pieces: readonly string[]): readonly number[] {
  // An `Int32Array` reads the words here and in the search, so that byte order does not matter.
  const bytes = new Uint8Array(WORD_BYTES)
  const word = new Int32Array(bytes.buffer)
  return pieces.flatMap((piece) =>
    Array.from({ length: piece.length - WORD_BYTES + 1 }, (_, from) => {
      for (let at = 0; at < WORD_BYTES; at += 1) bytes[at] = piece.charCodeAt(from + at)
      return word[0] as number
    }),
  )
}

function tableOf(words: readonly number[]): Int32Array {
  const table = new Int32Array(64)
  for (const word of words) {
    if (table[placeOf(word)] !== 0) throw new Error('two words share a place')
    table[placeOf(word)] = word
  }
  return table
}

function topBytesOf(words: readonly number[]): Uint8Array {
  const top = new Uint8Array(256)
  for (const word of words) top[word >>> 24] = 1
  return top
}
