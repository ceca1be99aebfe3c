import http from 'node:http'
import https from 'node:https'
import { TLSSocket } from 'node:tls'
import type { Http, HttpHeaders, HttpOutcome, HttpRequest, HttpStreamListener } from '../ports/ports.ts'
import { deadline } from './deadline.ts'
import { type HttpRoutes, httpRoutes } from './http-agents.ts'

/** The maximum size of an answer that is read whole, in bytes. */
const MAX_ANSWER_BYTES = 8 << 20
/**
 * The maximum of framing bytes, beside the body and for each byte of it: an answer in chunks of one byte is six times
 * its size.
 */
const FRAMING = { maxBytes: 256 << 10, maxFactor: 4 } as const
const MIN_BUFFER_BYTES = 16 << 10

const MALFORMED = 'the request could not be written'

/** Why an answer that no HTTP client can use was not used. */
export const NOT_HTTP = 'the answer was not HTTP'

/** Why a body ended whose end came. */
export const ENDED_BY_SERVICE = 'ended by the service'

/** Whether an answer may have this status (RFC 9110, section 15). Node reads any three digits and writes only some. */
export const isFinalStatus = (status: number): boolean => status >= 200 && status <= 599

/**
 * HTTP/1.1 on Node's own stack: no redirects, no retries, one connection for each request.
 *
 * Connections are not reused, because a reused one may die during a refresh, and then it is unknown whether the service
 * rotated the token. New ones are cheap enough for a few probes a minute. Proxies come from the environment: see
 * `httpRoutes`.
 */
export function nodeHttp(environment: NodeJS.ProcessEnv, routes: HttpRoutes = httpRoutes(environment)): Http {
  /** The request, or why it cannot be made, such as no route to its host or a token with a line end in it. */
  const start = (request: HttpRequest): http.ClientRequest | string => {
    try {
      const url = new URL(request.url)
      const route = routes(url)
      return route.kind === 'agent' ? begin(request, url, route.agent) : route.why
    } catch {
      // The error's own message would quote the header.
      return MALFORMED
    }
  }

  const begin = (request: HttpRequest, url: URL, agent: http.Agent): http.ClientRequest => {
    const outgoing = (url.protocol === 'https:' ? https : http).request(url, {
      method: request.method,
      agent,
      headers: {
        ...request.headers,
        ...(request.body !== undefined && { 'content-length': String(Buffer.byteLength(request.body)) }),
      },
    })
    outgoing.setNoDelay(true)
    return outgoing
  }

  return {
    send: (request) =>
      new Promise<HttpOutcome>((resolve) => {
        const outgoing = start(request)
        if (typeof outgoing === 'string') return resolve({ kind: 'not-sent', why: outgoing })
        let done = false
        let answered = false
        const established = watchConnection(outgoing)
        const cancelDeadline = deadline(request.timeoutMs, () => finish(lost('no answer in time')))
        const finish = (outcome: HttpOutcome) => {
          if (done) return
          done = true
          cancelDeadline()
          outgoing.destroy()
          resolve(outcome)
        }
        const lost = (why: string): HttpOutcome =>
          established() ? { kind: 'unknown', why } : { kind: 'not-sent', why }
        outgoing.on('error', (error) => finish(lost(wordsOf(error))))
        // Also fires without an error, as when the other side answers with an unrequested upgrade.
        outgoing.on('close', () => {
          if (!answered) finish(lost('connection lost'))
        })
        outgoing.on('response', (response) => {
          answered = true
          const body = new GrowingBuffer()
          response.on('data', (part: Buffer) => {
            const isTooLong = body.bytes + part.length > MAX_ANSWER_BYTES
            const mayBeRead = FRAMING.maxBytes + FRAMING.maxFactor * body.bytes
            if (isTooLong || response.socket.bytesRead > mayBeRead + part.length)
              finish({ kind: 'unknown', why: 'the answer was too long' })
            else if (!done) body.add(part)
          })
          response.on('end', () => {
            if (!response.complete) finish({ kind: 'unknown', why: 'the answer was cut short' })
            else {
              finish({
                kind: 'answer',
                status: response.statusCode ?? 0,
                headers: headersOf(response),
                body: body.text(),
              })
            }
          })
          response.on('error', (error) => finish({ kind: 'unknown', why: wordsOf(error) }))
          response.on('close', () => finish({ kind: 'unknown', why: 'the answer was cut short' }))
        })
        outgoing.end(request.body)
      }),

    reach: (url, timeoutMs) =>
      new Promise((resolve) => {
        // Never ended, so that nothing is sent once it is connected.
        const outgoing = start({ method: 'GET', url, headers: {}, timeoutMs })
        if (typeof outgoing === 'string') return resolve(outgoing)
        const finish = (why?: string) => {
          cancelDeadline()
          resolve(why)
          outgoing.destroy()
        }
        const cancelDeadline = deadline(timeoutMs, () => finish('no answer in time'))
        outgoing.on('error', (error) => finish(wordsOf(error)))
        outgoing.on('close', () => finish('connection lost'))
        watchConnection(outgoing, finish)
      }),

    open: (request, listener) => {
      const outgoing = start(request)
      if (typeof outgoing !== 'string') return openStream(outgoing, request, listener)
      const soon = setImmediate(() => listener.ended(outgoing))
      return () => clearImmediate(soon)
    },
  }
}

/** A growing buffer in one piece. A list of small parts would cost a hundred bytes of overhead for each. */
class GrowingBuffer {
  #buffer = Buffer.alloc(0)
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  add(part: Buffer): void {
    const needed = this.#bytes + part.length
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length, MIN_BUFFER_BYTES))
      this.#buffer.copy(grown, 0, 0, this.#bytes)
      this.#buffer = grown
    }
    part.copy(this.#buffer, this.#bytes)
    this.#bytes = needed
  }

  text(): string {
    return this.#buffer.toString('utf8', 0, this.#bytes)
  }
}

function openStream(
  outgoing: http.ClientRequest,
  request: HttpRequest,
  listener: HttpStreamListener,
): () => void {
  let over = false
  let answered = false
  const hasAnswerBegun = watchAnswer(outgoing)
  const cancelDeadline = deadline(request.timeoutMs, () => end('no answer in time'))
  const end = (why: string) => {
    if (over) return
    over = true
    cancelDeadline()
    const isBroken = !answered && hasAnswerBegun()
    outgoing.destroy()
    listener.ended(why, isBroken ? 'broken-head' : undefined)
  }
  outgoing.on('error', (error) => end(wordsOf(error)))
  outgoing.on('close', () => {
    if (!answered) end('connection lost')
  })
  outgoing.on('response', (response) => {
    answered = true
    if (over) return
    cancelDeadline()
    listener.opened(response.statusCode ?? 0, headersOf(response))
    response.on('data', (part: Buffer) => {
      if (!over) listener.chunk(part)
    })
    response.on('end', () => end(response.complete ? ENDED_BY_SERVICE : 'connection lost'))
    response.on('error', (error) => end(wordsOf(error)))
    response.on('close', () => end('connection lost'))
  })
  outgoing.end(request.body)
  return () => {
    over = true
    cancelDeadline()
    outgoing.destroy()
  }
}

/**
 * Whether bytes of the request may have reached the other side: true once the connection, including TLS, was
 * established.
 */
export function watchConnection(
  outgoing: http.ClientRequest,
  onEstablished: () => void = () => {},
): () => boolean {
  let established = false
  outgoing.on('socket', (socket) => {
    const note = () => {
      established = true
      onEstablished()
    }
    if (!(socket instanceof TLSSocket)) {
      if (!socket.connecting) note()
      else socket.once('connect', note)
    } else if (socket.getProtocol() !== null && socket.authorized) note()
    else socket.once('secureConnect', note)
  })
  return () => established
}

/** Whether a byte has come since the request got its connection, which may have been used before. */
export function watchAnswer(outgoing: http.ClientRequest): () => boolean {
  let hasBegun = () => false
  outgoing.on('socket', (socket) => {
    const before = socket.bytesRead
    hasBegun = () => socket.bytesRead > before
  })
  return () => hasBegun()
}

/** The headers of an answer, a field that came several times in one value. */
export function headersOf(response: http.IncomingMessage): HttpHeaders {
  // Fields are added to an object without a prototype, where each name is a name like any other.
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
      return 'the host name was not found'
    case 'ECONNRESET':
    case 'EPIPE':
      return 'connection lost'
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'no way to the host'
    case 'ERR_PROXY_TUNNEL':
      return 'the proxy does not let this connection through'
    case 'ERR_PROXY_UNSUPPORTED':
      return 'the system names a kind of proxy that is not supported; name an http proxy in HTTPS_PROXY'
    case 'EPROTO':
      return 'no secure connection could be agreed on'
  }
  if (code.includes('CERT') || UNTRUSTED.has(code)) return 'the certificate is not trusted'
  if (code.startsWith('ERR_SSL')) return 'no secure connection could be agreed on'
  if (code.startsWith('HPE_')) return NOT_HTTP
  return 'connection failed'
}

/** OpenSSL's codes for an untrusted certificate chain whose names do not suggest it. */
const UNTRUSTED = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'HOSTNAME_MISMATCH',
])
