import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type ConnectionLimit, limitConnections } from './connection-limit.ts'

/**
 * The same listener on both loopback addresses, on one port.
 *
 * `localhost` means ::1 to some browsers. If only 127.0.0.1 were bound, another program could take ::1 on this port
 * and be shown the codes that people bring here; so a port that is taken on either address counts as taken.
 */
export interface LoopbackServers {
  readonly port: number
  /** Of somebody who showed who they are: it may be silent for long, and is not ended for a newcomer. */
  keep(socket: Socket): void
  close(): Promise<void>
}

/** Answered with 200 to everybody on this machine for as long as the process runs; it says nothing of the service. */
export const HEALTH_PATH = '/healthz'

export interface LoopbackLimits {
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  /** How often the two above are looked at. */
  readonly checkedEveryMs: number
  /**
   * Neither side sends: also of somebody who does not read the answer, whom the timeouts of a request never end. A
   * sign-in's page waits for the service meanwhile.
   */
  readonly silenceMs: number
  /** Of strangers, on each of the two addresses. */
  readonly mostConnections: number
}

export const LOOPBACK_LIMITS: LoopbackLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  checkedEveryMs: 2_000,
  silenceMs: 60_000,
  mostConnections: 128,
}
/** How often another free port is tried when a free one on 127.0.0.1 is taken on ::1. */
const MAX_PORT_TRIES = 5

export async function listenOnLoopback(
  port: number,
  listenerFor: (port: number) => RequestListener,
  limits: LoopbackLimits = LOOPBACK_LIMITS,
): Promise<LoopbackServers> {
  for (let tries = 1; ; tries++) {
    try {
      return await listenOnce(port, listenerFor, limits)
    } catch (error) {
      if (port !== 0 || codeOf(error) !== 'EADDRINUSE' || tries >= MAX_PORT_TRIES) throw error
    }
  }
}

/** A port that is held while there is nothing to serve on it yet: whatever cannot be undone comes after it. */
export interface ClaimedPort {
  readonly port: number
  /** From now on; until then each request is told to come back. */
  serve(listenerFor: (port: number) => RequestListener): LoopbackServers
  close(): Promise<void>
}

/** Rejects with code `EADDRINUSE` when the port is taken; 0 takes any free one. */
export async function claimPort(port: number): Promise<ClaimedPort> {
  let listener: RequestListener = (_request, response) => {
    response.writeHead(503, { 'retry-after': '1', connection: 'close' }).end()
  }
  const servers = await listenOnLoopback(port, () => (request, response) => listener(request, response))
  return {
    port: servers.port,
    serve: (listenerFor) => {
      listener = listenerFor(servers.port)
      return servers
    },
    close: () => servers.close(),
  }
}

async function listenOnce(
  wanted: number,
  listenerFor: (port: number) => RequestListener,
  limits: LoopbackLimits,
): Promise<LoopbackServers> {
  const four = makeServer(limits)
  const six = makeServer(limits)
  const held = [four, six].map((server) => limitConnections(server, limits.mostConnections))
  const port = await listen(four, wanted, '127.0.0.1')
  const listener = listenerFor(port)
  four.on('request', listener)
  six.on('request', listener)
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
  return {
    port,
    keep: (socket) => keep(socket, held),
    close: async () => void (await Promise.all(servers.map(close))),
  }
}

const MEANS_NO_IPV6 = new Set<unknown>(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

function makeServer(limits: LoopbackLimits): Server {
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkedEveryMs,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16 * 1024,
    insecureHTTPParser: false,
  })
  server.timeout = limits.silenceMs
  return server
}

/** Until its next request: then Node sets the timeout anew, and whoever asks has to show again who they are. */
function keep(socket: Socket, held: readonly ConnectionLimit[]): void {
  socket.setTimeout(0)
  for (const limit of held) limit.keep(socket)
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
