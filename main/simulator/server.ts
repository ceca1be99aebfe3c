import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { answerControl, isControl } from './control.ts'
import { createIdTokenIssuer } from './id-tokens.ts'
import { problemWith, type SimulatorFlags, withDefaults } from './options.ts'
import type { Faults } from './rules/faults.ts'
import { type ServicePorts, SimulatedService } from './simulated-service.ts'
import { pump } from './stream-pump.ts'
import { type Answer, errorAnswer, type ServiceReply, type ServiceRequest } from './wire.ts'

/** The service's ports, and a timer. `after` returns a function that cancels it. */
export interface ServerPorts extends ServicePorts {
  after(ms: number, run: () => void): () => void
}

export interface SimulatorServer {
  /** `http://127.0.0.1:PORT`, both `{auth_url}` and `{base_url}`. */
  readonly origin: string
  readonly port: number
  readonly service: SimulatedService
  readonly faults: Faults
  /** Destroys every socket. */
  close(): Promise<void>
}

const MAX_BODY_BYTES = 64 * 1024
/** Number of possible random values. It is a power of two, so that dividing by it is exact. */
const CHANCE_STEPS = 2 ** 47

/**
 * The system's ports. If the wall clock is set back, time stops until the clock catches up. Otherwise quotas
 * would go through the same hour twice.
 */
function realPorts(): ServerPorts {
  let lastMs = Date.now()
  let heldMs = 0
  return {
    nowMs: () => {
      const wallMs = Date.now() + heldMs
      heldMs += Math.max(0, lastMs - wallMs)
      lastMs = Math.max(lastMs, wallMs)
      return lastMs
    },
    random: () => randomInt(CHANCE_STEPS) / CHANCE_STEPS,
    after: (ms, run) => {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  }
}

export interface ServerOptions extends Partial<SimulatorFlags> {
  /** Without a port or with 0, any free port. */
  readonly port?: number
  /**
   * Whether `id_token` is a signed JWT, with a discovery document and a key set. By default it is opaque,
   * because generating a key takes 0.1 to 0.5 s.
   */
  readonly signedIdTokens?: boolean
}

/** Starts the simulated service on loopback. Throws with code EADDRINUSE if the port is in use. */
export async function startSimulatorServer(
  options: ServerOptions,
  ports: ServerPorts = realPorts(),
): Promise<SimulatorServer> {
  const { port: wanted = 0, signedIdTokens = false, ...rest } = options
  const problem = problemWith(withDefaults(rest))
  if (problem !== undefined) throw new RangeError(problem)
  let origin = ''
  const idTokens = signedIdTokens ? { idTokens: await createIdTokenIssuer(() => origin) } : {}
  const service = new SimulatedService(rest, { ...ports, ...idTokens })
  const numbers = new WeakMap<Socket, number>()
  const server = createServer(
    {
      requestTimeout: 20_000,
      headersTimeout: 10_000,
      keepAliveTimeout: 15_000,
      connectionsCheckingInterval: 1000,
    },
    (request, response) => {
      serve({ service, ports, numbers }, request, response).catch((error: unknown) => {
        // An error in one answer must not stop the server.
        if (error instanceof Error && !response.headersSent) {
          return send(
            response,
            errorAnswer(500, 'InternalServerError', 'The simulator failed on this request.'),
          )
        }
        response.destroy()
      })
    },
  )
  server.maxConnections = 2000
  let connections = 0
  server.on('connection', (socket) => {
    connections += 1
    numbers.set(socket, connections)
    if (service.faults.strike('connect-reset')) socket.resetAndDestroy()
  })
  server.listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  // A failed accept, for example for lack of file handles, affects only one client.
  server.on('error', () => undefined)
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  return {
    origin,
    port,
    service,
    faults: service.faults,
    close: () => closed(server, service),
  }
}

interface Serving {
  readonly service: SimulatedService
  readonly ports: ServerPorts
  /** Number of each connection, in order of acceptance. */
  readonly numbers: WeakMap<Socket, number>
}

async function serve(
  { service, ports, numbers }: Serving,
  incoming: IncomingMessage,
  response: ServerResponse,
) {
  // A socket error during an answer affects only that client.
  response.on('error', () => undefined)
  const body = await bodyOf(incoming)
  if (body === 'gone') return
  if (body === 'too-large') {
    const answer = errorAnswer(413, 'PayloadTooLarge', `At most ${MAX_BODY_BYTES} bytes.`, {
      Connection: 'close',
    })
    return send(response, answer)
  }
  const request = requestOf(incoming, body)
  if (request === undefined)
    return send(response, errorAnswer(400, 'BadRequest', 'The request target is not a path.'))
  const { controlSecret } = service.options
  if (controlSecret !== undefined && isControl(request)) {
    return send(response, answerControl(service, controlSecret, request))
  }
  const connection = numbers.get(incoming.socket)
  const reply = service.handle(connection === undefined ? request : { ...request, connection })
  carry(reply, response, ports)
}

function carry(reply: ServiceReply, response: ServerResponse, ports: ServerPorts): void {
  switch (reply.kind) {
    case 'answer':
      if (reply.delayMs === undefined) send(response, reply)
      else
        response.once(
          'close',
          ports.after(reply.delayMs, () => send(response, reply)),
        )
      return
    case 'stream':
      response.writeHead(reply.status, reply.headers)
      response.flushHeaders()
      pump(reply.stream, response, ports)
      return
    case 'reset':
      // Resets the socket, as if the connection had died. To the client, a FIN would look like an orderly
      // close.
      response.socket?.resetAndDestroy()
      return
    case 'cut':
      response.writeHead(reply.answer.status, reply.answer.headers)
      response.write(reply.answer.body.slice(0, reply.sentBytes), () => response.socket?.destroy())
      return
    case 'silence':
      return
  }
}

function send(response: ServerResponse, answer: Answer): void {
  if (response.destroyed || response.headersSent) return
  if (answer.bare === true) response.removeHeader('Connection')
  response.writeHead(answer.status, answer.headers)
  response.end(answer.body)
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer | 'gone' | 'too-large'> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    // If the loop ends early, the socket must stay open, because a 413 still has to be sent.
    for await (const part of incoming.iterator({ destroyOnReturn: false })) {
      bytes += part.length
      if (bytes > MAX_BODY_BYTES) return 'too-large'
      parts.push(part)
    }
  } catch {
    return 'gone'
  }
  return Buffer.concat(parts)
}

function requestOf(incoming: IncomingMessage, bodyBytes: Buffer): ServiceRequest | undefined {
  const target = incoming.url ?? ''
  const local = target.startsWith('/') ? target : pathOfAbsolute(target)
  if (local === undefined) return undefined
  const [path = '', ...query] = local.split('?')
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return {
    method: incoming.method ?? '',
    path,
    query: query.join('?'),
    headers,
    body: bodyBytes.toString('utf8'),
    bodyBytes,
  }
}

/** The path and query of a request target in absolute form, which proxies send. */
function pathOfAbsolute(target: string): string | undefined {
  if (!URL.canParse(target)) return undefined
  const url = new URL(target)
  return url.protocol === 'http:' ? url.pathname + url.search : undefined
}

const closed = (server: Server, service: SimulatedService): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
    for (const stream of service.streams()) stream.close()
  })
