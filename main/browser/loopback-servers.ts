import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The same listener on both loopback addresses, on one port.
 *
 * `localhost` means ::1 to some browsers. If only 127.0.0.1 were bound, another program could take ::1 on this port
 * and be shown the codes that people bring here; so a port that is taken on either address counts as taken.
 */
export interface LoopbackServers {
  readonly port: number
  close(): Promise<void>
}

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
  insecureHTTPParser: false,
} as const
const MOST_CONNECTIONS = 128
/** How often another free port is tried when a free one on 127.0.0.1 is taken on ::1. */
const MOST_PORT_TRIES = 5

export async function listenOnLoopback(
  port: number,
  listenerFor: (port: number) => RequestListener,
): Promise<LoopbackServers> {
  for (let tries = 1; ; tries++) {
    try {
      return await listenOnce(port, listenerFor)
    } catch (error) {
      if (port !== 0 || codeOf(error) !== 'EADDRINUSE' || tries >= MOST_PORT_TRIES) throw error
    }
  }
}

async function listenOnce(
  wanted: number,
  listenerFor: (port: number) => RequestListener,
): Promise<LoopbackServers> {
  const four = makeServer()
  const port = await listen(four, wanted, '127.0.0.1')
  const listener = listenerFor(port)
  four.on('request', listener)
  const six = makeServer().on('request', listener)
  const servers = [four]
  try {
    await listen(six, port, '::1')
    servers.push(six)
  } catch (error) {
    if (!MEANS_NO_IPV6.has(codeOf(error))) {
      await close(four)
      throw error
    }
  }
  return { port, close: async () => void (await Promise.all(servers.map(close))) }
}

const MEANS_NO_IPV6 = new Set<unknown>(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

function makeServer(): Server {
  const server = createServer(LIMITS)
  server.maxConnections = MOST_CONNECTIONS
  return server
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, exclusive: true }, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Ends what is open at once: a push stream would otherwise hold the app for as long as a window is there. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code
