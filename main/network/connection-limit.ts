import type { Server, Socket } from 'node:net'

/** The connection limit of one server. */
export interface ConnectionLimit {
  /** Exempts an authenticated connection: it is not counted and not closed in favour of another. */
  keep(socket: Socket): void
}

/**
 * Limits the unauthenticated connections to a server, and closes the oldest one when a new one exceeds the limit.
 *
 * Node's `maxConnections` rejects the new connection instead, so that silent connections could lock out everyone else.
 * A real client sends its request long before as many others connect.
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
