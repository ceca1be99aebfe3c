export const LF = 0x0a
export const CR = 0x0d

/** Maximum bytes of one line. A longer line is dropped and counted. */
export const MAX_FRAME_BYTES = 1 << 20
const MIN_REST_BYTES = 4_096

export interface Framed {
  /** Complete, non-empty lines without line ends. Valid until the next push. */
  readonly lines: readonly Uint8Array[]
  /** Number of dropped lines, which were too long. */
  readonly dropped: number
}

/**
 * Splits a byte stream into lines, regardless of chunk borders (service 12: one JSON object per line).
 *
 * A chunk may end inside a UTF-8 character. Splitting bytes is safe, because 0x0A occurs in UTF-8 only as a
 * line feed. At most one unfinished line of `MAX_FRAME_BYTES` is stored, in one piece, however small the
 * chunks are.
 */
export class Framer {
  #rest = new Uint8Array(0)
  #restBytes = 0
  #skipping = false

  push(chunk: Uint8Array): Framed {
    const lines: Uint8Array[] = []
    let dropped = 0
    let from = 0
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      const line = this.#finish(chunk.subarray(from, at))
      if (line === undefined) dropped += 1
      else if (line.length > 0) lines.push(line)
      from = at + 1
    }
    this.#keep(chunk.subarray(from))
    return { lines, dropped }
  }

  /** The unfinished last line when the stream ends. */
  end(): Uint8Array | undefined {
    const line = this.#finish(new Uint8Array(0))
    return line && line.length > 0 ? line : undefined
  }

  /**
   * Copies the unfinished line. A slice of the chunk is not safe, because a socket may reuse and overwrite
   * its buffer. A slice would also keep the whole buffer in memory.
   */
  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#skipping) return
    const needed = this.#restBytes + bytes.length
    if (needed > MAX_FRAME_BYTES) {
      this.#rest = new Uint8Array(0)
      this.#restBytes = 0
      this.#skipping = true
      return
    }
    if (needed > this.#rest.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#rest.length, MIN_REST_BYTES))
      grown.set(this.#rest.subarray(0, this.#restBytes))
      this.#rest = grown
    }
    this.#rest.set(bytes, this.#restBytes)
    this.#restBytes = needed
  }

  #finish(last: Uint8Array): Uint8Array | undefined {
    let line = last
    if (this.#restBytes > 0) {
      this.#keep(last)
      line = this.#rest.subarray(0, this.#restBytes)
    }
    const isTooLong = this.#skipping || line.length > MAX_FRAME_BYTES
    this.#rest = new Uint8Array(0)
    this.#restBytes = 0
    this.#skipping = false
    if (isTooLong) return undefined
    return line.length > 0 && line[line.length - 1] === CR ? line.subarray(0, line.length - 1) : line
  }
}
