import type { Server, Socket } from 'node:net'

/** The limit of unauthenticated connections, shared by several servers. */
export interface ConnectionLimit {
  /** Exempts an authenticated connection permanently. The limit neither counts nor closes it. */
  keep(socket: Socket): void
}

export interface UnauthenticatedLimits {
  /** The maximum number of unauthenticated connections, for all servers together. */
  readonly most: number
  /** The maximum age of an unauthenticated connection in milliseconds. Absent if unlimited. */
  readonly longestMs?: number | undefined
}

/**
 * Limits the unauthenticated connections to servers. If a new connection exceeds the limit, the oldest
 * unauthenticated connection is closed.
 *
 * Node's `maxConnections` would reject the new connection instead, so silent connections could lock out all
 * others. A real client sends its request before enough other clients connect to displace it. Clients may
 * open many connections at once, all unauthenticated at first, so `most` is above their usual number.
 */
export function limitConnections(
  servers: readonly Server[],
  { most, longestMs }: UnauthenticatedLimits,
): ConnectionLimit {
  const strangers = new Map<Socket, NodeJS.Timeout | undefined>()
  const forget = (socket: Socket) => {
    clearTimeout(strangers.get(socket))
    strangers.delete(socket)
  }
  const accepted = (socket: Socket) => {
    const timer = longestMs === undefined ? undefined : setTimeout(() => socket.destroy(), longestMs)
    strangers.set(socket, timer?.unref())
    socket.once('close', () => forget(socket))
    if (strangers.size <= most) return
    const [oldest] = strangers.keys()
    if (oldest === undefined) return
    forget(oldest)
    oldest.destroy()
  }
  for (const server of servers) server.on('connection', accepted)
  return { keep: forget }
}
