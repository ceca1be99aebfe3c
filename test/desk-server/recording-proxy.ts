import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A TCP proxy of this computer that keeps every byte in both directions. */
export interface RecordingProxy {
  readonly port: number
  /** All bytes so far. */
  bytes(): Buffer
  /** Connections that are open now. */
  open(): number
}

/** Starts a proxy to a port of this computer. It ends with the running test. */
export async function startRecordingProxy(to: number): Promise<RecordingProxy> {
  const chunks: Buffer[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = createConnection({ host: '127.0.0.1', port: to })
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        into.write(chunk)
      })
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        into.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => Buffer.concat(chunks),
    open: () => sockets.size / 2,
  }
}
