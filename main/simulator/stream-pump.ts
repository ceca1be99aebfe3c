import type { ServerResponse } from 'node:http'
import type { OpenedStream, StreamPiece } from './wire.ts'

/** A client that takes nothing for this long is cut off. */
const STALLED_MS = 30_000

/**
 * Carries what a stream says to a socket, by real timers.
 *
 * The slot is free as soon as the client's end or error is seen, not when a write finds out.
 */
export function pump(stream: OpenedStream, response: ServerResponse, nowMs: () => number): void {
  const { socket } = response
  let timer: NodeJS.Timeout | undefined
  let over = false

  const stop = () => {
    if (over) return
    over = true
    clearTimeout(timer)
    socket?.off('end', stop)
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
        socket?.off('end', stop)
        response.end()
        return
      case 'reset':
        over = true
        socket?.off('end', stop)
        // After the bytes before it are out, or there would be nothing to see of them.
        response.write('\n', () => socket?.resetAndDestroy())
        return
    }
  }
  const turn = () => {
    clearTimeout(timer)
    if (over) return
    if (response.writableNeedDrain) {
      timer = setTimeout(stop, STALLED_MS)
      return
    }
    for (const piece of stream.take(nowMs())) write(piece)
    const dueMs = stream.nextDueMs()
    if (over || dueMs === undefined) return
    timer = setTimeout(turn, Math.min(Math.max(1, Math.ceil(dueMs - nowMs())), 60_000))
  }

  response.on('close', stop)
  response.on('drain', turn)
  socket?.on('end', stop)
  stream.whenMoved(turn)
  turn()
}
