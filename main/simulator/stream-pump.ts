import type { ServerResponse } from 'node:http'
import type { OpenStream } from './open-stream.ts'
import type { ServerPorts } from './server.ts'
import type { StreamPiece } from './wire.ts'

/** Time in milliseconds after which a client that reads nothing is disconnected. */
const STALLED_MS = 30_000

/**
 * Writes a stream's pieces to a response as they become due.
 *
 * Frees the slot as soon as the client closes the connection, before the next write fails.
 */
export function pump(stream: OpenStream, response: ServerResponse, ports: ServerPorts): void {
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
        // The reset follows in the callback of one last write, so that all earlier bytes are sent first. That
        // write is a space, which completes no frame.
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
