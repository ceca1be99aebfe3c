import http from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { HttpHeaders } from '../ports/ports.ts'
import { deadline } from './deadline.ts'
import type { HttpRoutes } from './http-agents.ts'
import { endedWithoutNotice, watchTlsEnd } from './tls-ending.ts'

export interface WireRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** The origin of the service, without a trailing slash. */
  readonly origin: string
  /** Path and query, sent unchanged. */
  readonly pathAndQuery: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /**
   * Timeout for the status line, in milliseconds. With `isWholeInTime`, it is a timeout for the whole
   * response, but the listener may cancel it earlier.
   */
  readonly timeoutMs: number
  readonly isWholeInTime?: boolean
  /** Present if the request must not arrive twice. */
  readonly once?: SentOnce
}

/**
 * How to send a request that must not arrive twice. `not-sent` means that no byte left this computer.
 * `timeoutMs` starts again after the request is sent.
 */
export interface SentOnce {
  /** Maximum idle time of a reused connection since its last response, in milliseconds. */
  readonly maxIdleMs: number
  /** Called once, after connecting, just before the first byte. If the result is false, nothing is sent. */
  readonly mayGo: () => boolean
}

/**
 * - `not-sent`: no byte can have reached the service.
 * - `cut`: the connection closed before the first byte of the response.
 * - `broken`: a response began, but it can't be relayed: its head is incomplete, it is not HTTP, or its
 *   status is invalid.
 */
export type WireFailure = 'not-sent' | 'cut' | 'broken' | 'timeout'

/** Receives the outcome of a request. No method is called after `failed`, or after an abort. */
export interface WireListener {
  /** Called at most once. The body is read as it arrives, no faster than the reader consumes it. */
  answered(answer: http.IncomingMessage): void
  /**
   * Called at most once. After `answered`, called only if the body timed out. The body reports other failures
   * itself.
   */
  failed(how: WireFailure, why: string): void
}

export interface Wire {
  /** Sends a request. Returns a function that aborts it at any time, even while the body arrives. */
  send(request: WireRequest, listener: WireListener): () => void
  /**
   * Connects to the host of a URL without sending anything. Resolves with the reason if it can't be reached.
   */
  reach(url: string, timeoutMs: number): Promise<string | undefined>
}

const MALFORMED = 'the request is invalid'

/** The reason reported when no HTTP client could read the response. */
export const NOT_HTTP = 'the response is not HTTP'

/** The reason reported when a request was not sent although its connection was ready. */
const NOT_NOW = 'the request was stopped just before it was sent'

/** The reason reported when a connection closes too early. */
export const CONNECTION_LOST = 'connection lost'

/**
 * HTTP/1.1 on Node's own stack, for every request to the service. It follows no redirects and does not retry.
 * `routes` selects the connections.
 */
export function nodeWire(routes: HttpRoutes): Wire {
  const targetOf = targetsOf(routes)
  return {
    send: (request, listener) => {
      const outgoing = begin(request, targetOf)
      if (typeof outgoing === 'string') {
        const soon = setImmediate(() => listener.failed('not-sent', outgoing))
        return () => clearImmediate(soon)
      }
      let state: 'sent' | 'answered' | 'over' = 'sent'
      const { once } = request
      let hasGone = false
      const established = watchConnection(outgoing, () => {
        if (once === undefined || state !== 'sent') return
        if (!once.mayGo()) return failed('not-sent', NOT_NOW)
        hasGone = true
        outgoing.end(request.body)
        cancelDeadline()
        cancelDeadline = awaitAnswer()
      })
      const mayHaveArrived = once === undefined ? established : () => hasGone
      const hasAnswerBegun = watchAnswer(outgoing)
      const failed = (how: WireFailure, why: string) => {
        if (state === 'over') return
        abort()
        listener.failed(how, why)
      }
      const lost = (why: string) => {
        if (hasAnswerBegun()) failed('broken', why)
        else failed(mayHaveArrived() ? 'cut' : 'not-sent', why)
      }
      const awaitAnswer = () =>
        deadline(request.timeoutMs, () => failed(mayHaveArrived() ? 'timeout' : 'not-sent', 'timed out'))
      let cancelDeadline = awaitAnswer()
      const abort = () => {
        state = 'over'
        cancelDeadline()
        outgoing.destroy()
      }
      let body: http.IncomingMessage | undefined
      outgoing.on('error', (error) => {
        if (state === 'sent') lost(wordsOf(error))
        // Node would end a body without a length as if it were complete.
        else if (state === 'answered' && body?.complete === false) body.destroy(error)
      })
      // `close` also fires without an error, for example if the other side sends an upgrade that was not
      // requested.
      outgoing.on('close', () => {
        if (state === 'sent') lost(CONNECTION_LOST)
      })
      outgoing.on('response', (answer) => {
        if (state !== 'sent') return
        if (!isFramedPlainly(answer.headers)) return failed('broken', NOT_HTTP)
        state = 'answered'
        body = answer
        endWhenCut(answer)
        if (request.isWholeInTime !== true) cancelDeadline()
        listener.answered(answer)
      })
      if (once === undefined) outgoing.end(request.body)
      return abort
    },

    reach: (url, timeoutMs) =>
      new Promise((resolve) => {
        // The request is never ended, so only the connection is established.
        const outgoing = begin(
          { method: 'GET', origin: url, pathAndQuery: '/', headers: {}, timeoutMs },
          targetOf,
        )
        if (typeof outgoing === 'string') return resolve(outgoing)
        const finish = (why?: string) => {
          cancelDeadline()
          resolve(why)
          outgoing.destroy()
        }
        const cancelDeadline = deadline(timeoutMs, () => finish('timed out'))
        outgoing.on('error', (error) => finish(wordsOf(error)))
        outgoing.on('close', () => finish(CONNECTION_LOST))
        watchConnection(outgoing, finish)
      }),
  }
}

interface Target {
  readonly send: typeof http.request
  readonly options: Pick<http.RequestOptions, 'protocol' | 'hostname' | 'port'> & {
    readonly agent: http.Agent
  }
}

/**
 * One moment on the wall clock and on the monotonic clock. At least one of the two clocks advances while the
 * computer sleeps.
 */
interface Moment {
  readonly wallMs: number
  readonly monotonicMs: number
}

const moment = (): Moment => ({ wallMs: Date.now(), monotonicMs: performance.now() })
const idleAgents = new WeakSet<http.Agent>()
/** When each connection became idle. */
const idleSince = new WeakMap<Duplex, Moment>()

/** Makes an agent record when each of its connections becomes idle. */
function noteIdle(agent: http.Agent): void {
  if (idleAgents.has(agent)) return
  idleAgents.add(agent)
  agent.on('free', (socket: Duplex) => void idleSince.set(socket, moment()))
}

/**
 * Closes connections that have been idle for longer than `maxIdleMs`. For a moment, the agent still lists
 * closed connections. It does not reuse them, because it prefers the connection that became idle last.
 */
function closeIdle(agent: http.Agent, maxIdleMs: number): void {
  const now = moment()
  for (const socket of Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])) {
    const since = idleSince.get(socket)
    const idleMs =
      since === undefined
        ? Number.POSITIVE_INFINITY
        : Math.max(Math.abs(now.wallMs - since.wallMs), now.monotonicMs - since.monotonicMs)
    if (idleMs > maxIdleMs) socket.destroy()
  }
}

/**
 * The target of an origin, or why it has none. The last target is cached, because nearly all requests have
 * the same origin.
 */
function targetsOf(routes: HttpRoutes): (origin: string) => Target | string {
  let last: { readonly origin: string; readonly target: Target } | undefined
  return (origin) => {
    if (last?.origin === origin) return last.target
    const url = new URL(origin)
    const route = routes(url)
    if (route.kind !== 'agent') return route.why
    const { protocol, port } = url
    // A URL has brackets around an IPv6 address, but a socket needs the address without them.
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
    noteIdle(route.agent)
    const options = { protocol, hostname, ...(port !== '' && { port }), agent: route.agent }
    const target = { send: protocol === 'https:' ? https.request : http.request, options }
    last = { origin, target }
    return target
  }
}

/** The request, or why it can't be made, such as no route to its host or a line end in the token. */
function begin(
  { method, origin, pathAndQuery, headers, body, once }: WireRequest,
  targetOf: (origin: string) => Target | string,
): http.ClientRequest | string {
  try {
    const target = targetOf(origin)
    if (typeof target === 'string') return target
    if (once !== undefined) closeIdle(target.options.agent, once.maxIdleMs)
    return target.send({
      ...target.options,
      method,
      // The path is sent unchanged. A URL parser would rewrite it.
      path: pathAndQuery,
      headers:
        body === undefined ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    })
  } catch {
    // This is a fixed text, because the error's own message would quote the header.
    return MALFORMED
  }
}

/**
 * Returns a function that says whether bytes of the request may have reached the other side. True as soon as
 * the connection, including TLS, is established.
 */
function watchConnection(outgoing: http.ClientRequest, onEstablished: () => void = () => {}): () => boolean {
  let established = false
  outgoing.on('socket', (socket) => {
    const note = () => {
      established = true
      onEstablished()
    }
    if (socket instanceof TLSSocket) watchTlsEnd(socket)
    if (!(socket instanceof TLSSocket)) {
      if (!socket.connecting) note()
      else socket.once('connect', note)
    } else if (socket.getProtocol() !== null && socket.authorized) note()
    else socket.once('secureConnect', note)
  })
  return () => established
}

/**
 * Returns a function that says whether a byte has arrived since the request got its connection, which may
 * have been used before.
 */
function watchAnswer(outgoing: http.ClientRequest): () => boolean {
  let hasBegun = () => false
  outgoing.on('socket', (socket) => {
    const before = socket.bytesRead
    hasBegun = () => socket.bytesRead > before
  })
  return () => hasBegun()
}

/**
 * Whether Transfer-Encoding is absent or `chunked`, the only coding that Node decodes (RFC 9112, section
 * 6.3).
 */
export const isFramedPlainly = ({ 'transfer-encoding': coding }: http.IncomingHttpHeaders): boolean =>
  coding === undefined || /^(?:chunked|identity)$/i.test(coding)

/**
 * Handles a response without a length. Its body ends when its TLS connection ends. If the connection was cut
 * off (RFC 9112, section 9.8), the body fails. Node would treat the body as complete.
 */
function endWhenCut(answer: http.IncomingMessage): void {
  const { socket, headers } = answer
  const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  if (isFramed || !(socket instanceof TLSSocket)) return
  socket.prependListener('end', () => {
    if (endedWithoutNotice(socket) && !answer.complete)
      answer.destroy(Object.assign(new Error(CONNECTION_LOST), { code: 'ECONNRESET' }))
  })
}

export function headersOf(response: http.IncomingMessage): HttpHeaders {
  // No prototype, so that no header name is special.
  const headers: Record<string, string> = Object.create(null)
  const received = response.headers
  for (const name in received) {
    const value = received[name]
    headers[name] = typeof value === 'string' ? value : (value?.join(', ') ?? '')
  }
  return headers
}

/** A socket error in plain words. Its message may contain addresses, and its code means nothing to users. */
export function wordsOf({ code = '' }: Error & { code?: string }): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'connection refused'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'host name not found'
    case 'ECONNRESET':
    case 'EPIPE':
      return 'connection lost'
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'no route to the host'
    case 'ERR_PROXY_TUNNEL':
      return 'the proxy rejected the connection'
    case 'ERR_PROXY_UNSUPPORTED':
      return 'unsupported kind of system proxy; set an http proxy in HTTPS_PROXY'
    case 'EPROTO':
      return 'no secure connection'
  }
  if (code.includes('CERT') || UNTRUSTED.has(code)) return 'untrusted certificate'
  if (code.startsWith('ERR_SSL')) return 'no secure connection'
  if (code.startsWith('HPE_')) return NOT_HTTP
  return 'connection failed'
}

/** OpenSSL's codes for an untrusted certificate, except the codes that contain `CERT`. */
const UNTRUSTED = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'HOSTNAME_MISMATCH',
])
