import http from 'node:http'
import https from 'node:https'
import { TLSSocket } from 'node:tls'
import type { Http, HttpHeaders, HttpOutcome, HttpRequest, HttpStreamListener } from './ports.ts'

/** An answer that is read whole may be this large. Bytes. */
const LONGEST_ANSWER_BYTES = 8 << 20

const MALFORMED = 'the request could not be written'

/**
 * HTTP/1.1 on Node's own stack: no redirects, no retries, one connection a request.
 *
 * A fresh connection each time is on purpose for tokens (a reused one may die while a refresh is on it, and
 * nobody could say whether the service rotated) and cheap enough for a handful of probes a minute. Proxies come
 * from the environment (HTTPS_PROXY, NO_PROXY) through the agents.
 */
export function nodeHttp(environment: NodeJS.ProcessEnv): Http {
  const agents = {
    'http:': new http.Agent({ keepAlive: false, proxyEnv: environment }),
    'https:': new https.Agent({ keepAlive: false, proxyEnv: environment }),
  }

  /** `undefined` where it cannot be written as HTTP: a token with a line end in it, say. */
  const start = (request: HttpRequest): http.ClientRequest | undefined => {
    try {
      return begin(request)
    } catch {
      // The error's own message would quote the header.
      return undefined
    }
  }

  const begin = (request: HttpRequest): http.ClientRequest => {
    const url = new URL(request.url)
    const secure = url.protocol === 'https:'
    const outgoing = (secure ? https : http).request(url, {
      method: request.method,
      agent: agents[secure ? 'https:' : 'http:'],
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
        if (outgoing === undefined) return resolve({ kind: 'not-sent', why: MALFORMED })
        let done = false
        let answered = false
        const established = watchConnection(outgoing)
        const timer = setTimeout(() => finish(lost('no answer in time')), request.timeoutMs)
        const finish = (outcome: HttpOutcome) => {
          if (done) return
          done = true
          clearTimeout(timer)
          outgoing.destroy()
          resolve(outcome)
        }
        const lost = (why: string): HttpOutcome =>
          established() ? { kind: 'unknown', why } : { kind: 'not-sent', why }
        outgoing.on('error', (error) => finish(lost(wordsOf(error))))
        // Also without an error, as when the other side answers with an upgrade that nobody asked for.
        outgoing.on('close', () => {
          if (!answered) finish(lost('connection lost'))
        })
        outgoing.on('response', (response) => {
          answered = true
          const parts: Buffer[] = []
          let length = 0
          response.on('data', (part: Buffer) => {
            length += part.length
            if (length > LONGEST_ANSWER_BYTES) finish({ kind: 'unknown', why: 'the answer was too long' })
            else parts.push(part)
          })
          response.on('end', () => {
            if (!response.complete) finish({ kind: 'unknown', why: 'the answer was cut short' })
            else {
              finish({
                kind: 'answer',
                status: response.statusCode ?? 0,
                headers: headersOf(response),
                body: Buffer.concat(parts).toString('utf8'),
              })
            }
          })
          response.on('error', (error) => finish({ kind: 'unknown', why: wordsOf(error) }))
          response.on('close', () => finish({ kind: 'unknown', why: 'the answer was cut short' }))
        })
        outgoing.end(request.body)
      }),

    open: (request, listener) => {
      const outgoing = start(request)
      if (outgoing !== undefined) return openStream(outgoing, request, listener)
      const soon = setImmediate(() => listener.ended(MALFORMED))
      return () => clearImmediate(soon)
    },
  }
}

function openStream(
  outgoing: http.ClientRequest,
  request: HttpRequest,
  listener: HttpStreamListener,
): () => void {
  let over = false
  const timer = setTimeout(() => end('no answer in time'), request.timeoutMs)
  const end = (why: string) => {
    if (over) return
    over = true
    clearTimeout(timer)
    outgoing.destroy()
    listener.ended(why)
  }
  let answered = false
  outgoing.on('error', (error) => end(wordsOf(error)))
  outgoing.on('close', () => {
    if (!answered) end('connection lost')
  })
  outgoing.on('response', (response) => {
    answered = true
    if (over) return
    clearTimeout(timer)
    listener.opened(response.statusCode ?? 0, headersOf(response))
    response.on('data', (part: Buffer) => {
      if (!over) listener.chunk(part)
    })
    response.on('end', () => end(response.complete ? 'ended by the service' : 'connection lost'))
    response.on('error', (error) => end(wordsOf(error)))
    response.on('close', () => end('connection lost'))
  })
  outgoing.end(request.body)
  return () => {
    over = true
    clearTimeout(timer)
    outgoing.destroy()
  }
}

/** Whether bytes of the request may have reached the other side: the connection, TLS included, stood once. */
function watchConnection(outgoing: http.ClientRequest): () => boolean {
  let established = false
  outgoing.on('socket', (socket) => {
    const note = () => {
      established = true
    }
    if (!(socket instanceof TLSSocket)) {
      if (!socket.connecting) note()
      else socket.once('connect', note)
    } else if (socket.getProtocol() !== null && socket.authorized) note()
    else socket.once('secureConnect', note)
  })
  return () => established
}

function headersOf(response: http.IncomingMessage): HttpHeaders {
  const entries = Object.entries(response.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ])
  return Object.fromEntries(entries) as HttpHeaders
}

/** A socket error in plain words; its own message may hold addresses, never secrets, but says less. */
function wordsOf(error: Error & { code?: string }): string {
  switch (error.code) {
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
    default:
      return error.code?.startsWith('CERT') || error.code?.includes('CERT')
        ? 'the certificate is not trusted'
        : (error.code ?? 'connection failed')
  }
}
