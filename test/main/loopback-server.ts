import { createServer, Server as HttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Server } from 'node:net'
import { onTestFinished } from 'vitest'

export interface LoopbackServer {
  readonly http: HttpServer
  readonly origin: string
}

/** Listens on a free port of this machine until the test has finished. Returns its origin. */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    if (server instanceof HttpServer) server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server on this machine that belongs to the running test and is closed with it. */
export async function startLoopbackServer(listener?: RequestListener): Promise<LoopbackServer> {
  const http = createServer(listener)
  return { http, origin: await listening(http) }
}

export const portOf = (origin: string): number => Number(new URL(origin).port)

/** A connection that is closed with the test, and everything that it received. */
export function rawSocket(port: number) {
  const socket = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  return { socket, text: () => text }
}
