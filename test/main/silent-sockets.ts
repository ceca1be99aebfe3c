import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface SilentSockets {
  /** How many the other side has not ended yet. */
  readonly open: number
  /** Resolves when the other side has ended all of them. */
  allEnded(): Promise<void>
}

/**
 * Connections that send only these bytes and read nothing. They are opened one after the other, so that their
 * order is known.
 */
export async function silentSockets(
  count: number,
  to: NetConnectOpts,
  bytes: string | Uint8Array = '',
): Promise<SilentSockets> {
  const sockets = new Set<Socket>()
  const { promise: allEnded, resolve } = Promise.withResolvers<void>()
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let made = 0; made < count; made += 1) {
    await new Promise<void>((ready) => {
      const socket = connect(to)
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        ready()
        if (sockets.size === 0) resolve()
      })
      socket.on('connect', () => (bytes === '' ? ready() : socket.write(bytes, () => ready())))
      // The end of a connection is noticed only by reading up to it, so a socket without a reader stays open.
      if (bytes === '' || !String(bytes).endsWith('\r\n\r\n')) socket.resume()
    })
  }
  return {
    get open() {
      return sockets.size
    },
    allEnded: () => allEnded,
  }
}
