/** One message, or one line of the protocol, from a NATS server to a client. */
export interface WirePiece {
  readonly kind: 'message' | 'line'
  /** Absent for a line. */
  readonly subject?: string
  /** All of its bytes on the wire. */
  readonly bytes: Buffer
}

const LINE_END = '\r\n'
/** `MSG subject sid [reply] bytes`. `HMSG` has the size of its headers before the total size. */
const MESSAGE = /^H?MSG (\S+) .*?(\d+)$/i

/** Cuts the bytes from a NATS server into whole messages and lines. */
export class NatsWire {
  #held: Buffer = Buffer.alloc(0)

  /** The pieces that are complete now. */
  push(chunk: Buffer): readonly WirePiece[] {
    this.#held = Buffer.concat([this.#held, chunk])
    const pieces: WirePiece[] = []
    for (;;) {
      const piece = this.#next()
      if (piece === undefined) return pieces
      this.#held = this.#held.subarray(piece.bytes.length)
      pieces.push(piece)
    }
  }

  #next(): WirePiece | undefined {
    const lineEnd = this.#held.indexOf(LINE_END)
    if (lineEnd < 0) return undefined
    const headSize = lineEnd + LINE_END.length
    const [, subject, size] = MESSAGE.exec(this.#held.toString('latin1', 0, lineEnd)) ?? []
    if (subject === undefined) return { kind: 'line', bytes: this.#held.subarray(0, headSize) }
    const end = headSize + Number(size) + LINE_END.length
    if (this.#held.length < end) return undefined
    return { kind: 'message', subject, bytes: this.#held.subarray(0, end) }
  }
}
