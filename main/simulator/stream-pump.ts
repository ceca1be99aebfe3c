import type { ServerResponse } from 'node:http'
import type { OpenedStream, StreamPiece } from './wire.ts'

/** A client that takes nothing for this long is cut off. */
const STALLED_MS = 30_000

export interface PumpPorts {
  nowMs(): number
  after(ms: number, run: () => void): () => void
}

/**
 * Carries what a stream says to a socket, as it comes due.
 *
 * The slot is free as soon as the client's end is seen, not when a write finds out.
 */
export function pump(stream: OpenedStream, response: ServerResponse, ports: PumpPorts): void {
  const { socket } = response
  let cancel: () => void = () => undefined
  let over = false

  const stop = () => {
    if (over) return
    over = true
    cancel()
    stream.close()
    response.destroy()
  }
  const write = (piece: StreamPiece): void => {
    switch (piece.kind) {
      case 'chunk':
        response.write(piece.bytes)
        return
      case 'end':
        over = true
        response.end()
        return
      case 'reset':
        over = true
        // After the bytes before it are out, or nothing of them would be seen; a space does not end the frame.
        response.write(' ', () => socket?.resetAndDestroy())
        return
    }
  }
  const turn = () => {
    cancel()
    if (over) return
    if (response.writableNeedDrain) {
      cancel = ports.after(STALLED_MS, stop)
      return
    }
    for (const piece of stream.take(ports.nowMs())) write(piece)
    const dueMs = stream.nextDueMs()
    if (over || dueMs === undefined) return
    cancel = ports.after(Math.min(Math.max(1, Math.ceil(dueMs - ports.nowMs())), 60_000), turn)
  }

  response.on('close', stop)
  response.on('drain', turn)
  stream.whenMoved(turn)
  turn()
}
