import { CR, Framer, LF, MAX_FRAME_BYTES } from './framer.ts'
import { type CleanText, type Frame, frameOf } from './frames.ts'
import { KeySearch } from './key-search.ts'

const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

export interface FramesRead {
  /** Number of complete lines, including `notable` and overlong ones. */
  readonly count: number
  /** Frames that are not data, in order of arrival. An overlong line counts as noise. */
  readonly notable: readonly Frame[]
}

/**
 * Reads frames from the bytes of a stream (service 12), regardless of chunk borders.
 *
 * Most frames are data, and only their number matters. A line counts as data without parsing if two
 * conditions hold. It begins and ends like an object, and it cannot contain a key of another kind of frame. A
 * full parse might classify such a line as noise. The result is the same: data and noise both show only that
 * the stream is alive.
 */
export class FrameReader {
  readonly #framer = new Framer()
  readonly #decode: (bytes: Uint8Array) => string
  readonly #clean: CleanText | undefined
  #isInLine = false

  constructor(decode: (bytes: Uint8Array) => string, clean?: CleanText) {
    this.#decode = decode
    this.#clean = clean
  }

  push(chunk: Uint8Array): FramesRead {
    const notable: Frame[] = []
    let count = 0
    let from = 0
    if (this.#isInLine) {
      const end = chunk.indexOf(LF)
      from = end < 0 ? chunk.length : end + 1
      count += this.#throughFramer(chunk.subarray(0, from), notable)
      if (end < 0) return { count, notable }
    }
    const keys = new KeySearch(chunk)
    let suspect = keys.firstFrom(from)
    // Most chunks end with a line end. Then `from` is the chunk's length, and the next search is skipped.
    for (
      let end = chunk.indexOf(LF, from);
      end >= 0;
      end = from < chunk.length ? chunk.indexOf(LF, from) : -1
    ) {
      const isPlain = suspect >= end && isObject(chunk, from, end)
      if (isPlain && end - from <= MAX_FRAME_BYTES) count += 1
      else count += this.#throughFramer(chunk.subarray(from, end + 1), notable)
      from = end + 1
      if (suspect < from && from < chunk.length) suspect = keys.firstFrom(from)
    }
    this.#isInLine = from < chunk.length
    if (this.#isInLine) this.#framer.push(chunk.subarray(from))
    return { count, notable }
  }

  /**
   * Reads the unfinished last line when the stream ends. It is the closing line of an older kind of stream,
   * or an incomplete frame.
   */
  end(): FramesRead {
    const line = this.#framer.end()
    this.#isInLine = false
    if (!line) return { count: 0, notable: [] }
    return { count: 1, notable: [this.#frameOf(line)].filter(isNotable) }
  }

  #throughFramer(bytes: Uint8Array, notable: Frame[]): number {
    const { lines, dropped } = this.#framer.push(bytes)
    for (const line of lines) {
      const frame = this.#frameOf(line)
      if (isNotable(frame)) notable.push(frame)
    }
    for (let line = 0; line < dropped; line += 1) notable.push({ kind: 'noise' })
    return lines.length + dropped
  }

  #frameOf(line: Uint8Array): Frame {
    return frameOf(this.#decode(line), this.#clean)
  }
}

const isNotable = (frame: Frame): boolean => frame.kind !== 'data'

function isObject(chunk: Uint8Array, from: number, end: number): boolean {
  const last = chunk[end - 1] === CR ? end - 2 : end - 1
  return last > from && chunk[from] === OPENING_BRACE && chunk[last] === CLOSING_BRACE
}
