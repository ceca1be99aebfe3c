const LF = 0x0a
const CR = 0x0d

/** One line of a stream may be this long; a longer one is dropped and said so. Bytes. */
export const LONGEST_FRAME_BYTES = 1 << 20

export interface Framed {
  /** Complete lines, without their line ends, empty ones left out. */
  readonly lines: readonly Uint8Array[]
  /** Lines that were over the cap and dropped. */
  readonly dropped: number
}

/**
 * Cuts a byte stream into lines, whatever the chunks (service streams: one JSON object a line).
 *
 * Works on bytes, because a chunk may end inside a UTF-8 character: 0x0A occurs in UTF-8 only as a line feed.
 * Keeps at most one unfinished line of `LONGEST_FRAME_BYTES`.
 */
export class Framer {
  #rest: Uint8Array[] = []
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

  /** What is left when the stream ends without a line end. */
  end(): Uint8Array | undefined {
    const line = this.#finish(new Uint8Array(0))
    return line && line.length > 0 ? line : undefined
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#skipping) return
    if (this.#restBytes + bytes.length > LONGEST_FRAME_BYTES) {
      this.#rest = []
      this.#restBytes = 0
      this.#skipping = true
      return
    }
    // Copied: a socket may use its buffer again, and a slice would keep all of it alive.
    this.#rest.push(bytes.slice())
    this.#restBytes += bytes.length
  }

  #finish(last: Uint8Array): Uint8Array | undefined {
    if (this.#skipping) {
      this.#skipping = false
      return undefined
    }
    if (this.#restBytes + last.length > LONGEST_FRAME_BYTES) {
      this.#rest = []
      this.#restBytes = 0
      return undefined
    }
    let line = last
    if (this.#restBytes > 0) {
      line = new Uint8Array(this.#restBytes + last.length)
      let at = 0
      for (const part of this.#rest) {
        line.set(part, at)
        at += part.length
      }
      line.set(last, at)
      this.#rest = []
      this.#restBytes = 0
    }
    return line.length > 0 && line[line.length - 1] === CR ? line.subarray(0, line.length - 1) : line
  }
}
