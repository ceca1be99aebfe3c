import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'

/**
 * A TCP server on loopback. A test decides what it does with each connection. It counts the requests that it
 * read.
 */
export interface RawServer {
  readonly origin: string
  readonly port: number
  /** Request heads, as they came. */
  readonly heads: string[]
  readonly sockets: Set<Socket>
  close(): Promise<void>
}

export async function startRawServer(
  onHead: (socket: Socket, head: string) => void,
  onConnection: (socket: Socket) => void = () => {},
): Promise<RawServer> {
  const heads: string[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (part: Buffer) => {
      text += part.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = text.slice(0, end)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (text.length < end + 4 + length) return
      text = text.slice(end + 4 + length)
      heads.push(head)
      onHead(socket, head)
    })
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    heads,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
