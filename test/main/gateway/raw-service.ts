import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listening } from '../loopback-server.ts'
import { type GatewayTraits, startGateway } from './started-gateway.ts'

/** A gateway whose resources come from `answer`, byte by byte, and whose tokens come from the simulator. */
export async function before(
  answer: (socket: Socket, request: string, count: number) => void,
  traits: Pick<GatewayTraits, 'clock'> = {},
) {
  let count = 0
  const sockets = new Set<Socket>()
  const origin = await listening(
    createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('data', (bytes) => answer(socket, bytes.toString('latin1'), ++count))
    }),
  )
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const started = await startGateway({ ...traits, profile: { baseUrl: origin } })
  return { ...started, count: () => count }
}
