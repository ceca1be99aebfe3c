import type { Server, Socket } from 'node:net'

export interface ConnectionLimit {
  /** This one has shown who it is: it neither counts nor is ended for another. */
  keep(socket: Socket): void
}

/**
 * Holds at most so many strangers' connections to a server, and ends the oldest for the next one.
 *
 * Node's own `maxConnections` turns the newcomer away instead: whoever holds that many open, saying nothing, would
 * keep everybody else out. Who wants to be served here has asked long before as many others have come.
 */
export function limitConnections(server: Server, most: number): ConnectionLimit {
  const strangers = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    strangers.add(socket)
    socket.once('close', () => strangers.delete(socket))
    if (strangers.size <= most) return
    const [oldest] = strangers
    if (oldest === undefined) return
    strangers.delete(oldest)
    oldest.destroy()
  })
  return { keep: (socket) => void strangers.delete(socket) }
}
