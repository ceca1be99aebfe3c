import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { systemErrorCode } from '../storage/system-error.ts'
import { limitConnections } from './connection-limit.ts'

/**
 * A server on one port of both loopback addresses.
 *
 * Some browsers resolve `localhost` to ::1. If only 127.0.0.1 were bound, another program could listen on the
 * same port of ::1 and receive sign-in codes. So a port that is in use on either address counts as in use.
 */
export interface LoopbackServers {
  readonly port: number
  /**
   * Exempts an authenticated connection permanently from the limits of unauthenticated connections. Until its
   * next request, it is also exempt from the silence timeout.
   */
  keep(socket: Socket): void
  close(): Promise<void>
}

/**
 * Path of an unauthenticated health check. It returns 200 while the process runs and shows nothing about the
 * service.
 */
export const HEALTH_PATH = '/healthz'

/** Limits against clients that hold connections open. */
export interface LoopbackLimits {
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  /** How often `headersTimeoutMs` and `requestTimeoutMs` are checked. */
  readonly checkedEveryMs: number
  /**
   * Timeout of a connection without data in either direction, long enough for a sign-in page that waits for
   * the service.
   *
   * The silence timeout also disconnects a client that does not read its response. The request timeouts never
   * do that.
   */
  readonly silenceMs: number
  /**
   * Maximum time for which an idle connection stays open. `Keep-Alive` announces the time, but many clients
   * ignore it. If such a client sends a request while the connection closes, the request is reset.
   */
  readonly idleMs: number
  /**
   * Maximum number of unauthenticated connections on both addresses together. A program may open hundreds at
   * once. Each is unauthenticated until its first request is read.
   */
  readonly mostConnections: number
  /** Maximum age of an unauthenticated connection, whatever its activity. Absent if unlimited. */
  readonly unauthenticatedMs?: number
}

export const LOOPBACK_LIMITS: LoopbackLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  checkedEveryMs: 2_000,
  silenceMs: 60_000,
  idleMs: 5_000,
  mostConnections: 1_024,
}
/** Responds to a request that can't be parsed, instead of Node's plain 400 or 431. Must close the socket. */
export type MalformedListener = (error: Error, socket: Duplex) => void

export interface LoopbackTraits {
  readonly limits?: LoopbackLimits
  readonly malformed?: MalformedListener
  /**
   * Whether the listener handles `Expect` itself. It then sends `100 Continue` only when it needs the body,
   * and can reject a request before the body arrives. If absent, Node sends `100 Continue`, and 417 for any
   * other expectation.
   */
  readonly judgesExpect?: boolean
}

/** Maximum number of ports to try. A port that is free on 127.0.0.1 may be in use on ::1. */
const MAX_PORT_TRIES = 5

/** Listens on a port of both loopback addresses. 0 means any free port. Rejects with `EADDRINUSE`. */
export async function listenOnLoopback(
  port: number,
  listenerFor: (port: number) => RequestListener,
  traits: LoopbackTraits = {},
): Promise<LoopbackServers> {
  for (let tries = 1; ; tries++) {
    try {
      return await listenOnce(port, listenerFor, traits)
    } catch (error) {
      if (port !== 0 || systemErrorCode(error) !== 'EADDRINUSE' || tries >= MAX_PORT_TRIES) throw error
    }
  }
}

/** A bound port without a handler. Lets a host check the port before irreversible steps. */
export interface ClaimedPort {
  readonly port: number
  /** Installs the handler. Until then, every request gets 503 with Retry-After. */
  serve(listenerFor: (port: number) => RequestListener): LoopbackServers
  close(): Promise<void>
}

/**
 * Binds a port before there is a handler. 0 means any free port. Rejects with `EADDRINUSE` if the port is in
 * use.
 */
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
  { limits = LOOPBACK_LIMITS, malformed, judgesExpect = false }: LoopbackTraits,
): Promise<LoopbackServers> {
  const four = makeServer(limits)
  const six = makeServer(limits)
  const { mostConnections: most, unauthenticatedMs: longestMs } = limits
  const limit = limitConnections([four, six], { most, longestMs })
  const port = await listen(four, { port: wanted, host: '127.0.0.1', limits })
  const listener = listenerFor(port)
  for (const server of [four, six]) {
    server.on('request', listener)
    if (judgesExpect) server.on('checkContinue', listener).on('checkExpectation', listener)
    if (malformed !== undefined) server.on('clientError', malformed)
  }
  const servers = [four]
  try {
    await listen(six, { port, host: '::1', limits })
    servers.push(six)
  } catch (error) {
    if (!MEANS_NO_IPV6.has(systemErrorCode(error))) {
      await close(four)
      throw error
    }
  }
  return {
    port,
    keep: (socket) => {
      // Node sets the silence timeout again at the next request.
      socket.setTimeout(0)
      limit.keep(socket)
    },
    close: async () => void (await Promise.all(servers.map(close))),
  }
}

/**
 * Node's default number of connections that the system queues before they are accepted. Further clients retry
 * after a second.
 */
const NODE_BACKLOG = 511
/** Number of connections above which idle ones are closed sooner, because each takes a file descriptor. */
const MANY_CONNECTIONS = 64
const MANY_IDLE_MS = 5_000
const MEANS_NO_IPV6 = new Set<unknown>(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

function makeServer(limits: LoopbackLimits): Server {
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkedEveryMs,
    keepAliveTimeout: limits.idleMs,
    maxHeaderSize: 16 * 1024,
    insecureHTTPParser: false,
  })
  server.timeout = limits.silenceMs
  let open = 0
  server.on('connection', (socket: Socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
    })
  })
  const setIdleTime = () => {
    server.keepAliveTimeout = open > MANY_CONNECTIONS ? Math.min(MANY_IDLE_MS, limits.idleMs) : limits.idleMs
  }
  // Node reads the idle time when a request arrives and when its response ends.
  server.on('connection', setIdleTime)
  server.on('request', setIdleTime)
  return server
}

interface Place {
  readonly port: number
  readonly host: string
  readonly limits: LoopbackLimits
}

async function listen(server: Server, { port, host, limits }: Place): Promise<number> {
  const backlog = Math.max(NODE_BACKLOG, limits.mostConnections)
  server.listen({ port, host, backlog, exclusive: true })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Closes all connections immediately. Otherwise an open window's push stream would keep the app running. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
