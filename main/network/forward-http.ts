import http from 'node:http'
import https from 'node:https'
import type { HttpHeaders } from '../ports/ports.ts'
import { deadline } from './deadline.ts'
import { type HttpRoutes, httpRoutes } from './http-agents.ts'
import { headersOf, isFinalStatus, NOT_HTTP, watchAnswer, watchConnection, wordsOf } from './http-client.ts'

/** A request that is passed on for a program. */
export interface ForwardRequest {
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** The origin of the service, without a trailing slash. */
  readonly origin: string
  /** Path and query, sent as they are. */
  readonly pathAndQuery: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** Until the status line, in milliseconds. */
  readonly timeoutMs: number
}

/** An answer whose body is read as it arrives, and not faster than its reader takes it. */
export interface ForwardAnswer {
  readonly status: number
  readonly headers: HttpHeaders
  /** Name, value, name, value, as they came. */
  readonly rawHeaders: readonly string[]
  /** `complete` is true once the whole body has come. */
  readonly body: NodeJS.ReadableStream & {
    readonly complete: boolean
    readonly destroyed: boolean
    destroy(): void
  }
}

/**
 * - `not-sent`: no byte can have reached the service.
 * - `cut`: the connection ended before a byte of the answer.
 * - `broken`: an answer began that cannot be passed on: it was cut within its head, is not HTTP, or its status is none.
 */
export type ForwardFailure = 'not-sent' | 'cut' | 'broken' | 'timeout'

/** One of the two is called, once. */
export interface ForwardListener {
  answered(answer: ForwardAnswer): void
  failed(how: ForwardFailure, why: string): void
}

/** Sends a request. Returns a function that aborts it at any time, also while the body comes. */
export type ForwardHttp = (request: ForwardRequest, listener: ForwardListener) => () => void

/**
 * Forwarding on Node's own stack: no redirects, no retries, the routes of `httpRoutes`.
 *
 * Connections are used again, unlike those of `nodeHttp`: a TLS handshake would cost a program more than its request. One
 * that dies meanwhile counts as cut.
 */
export function nodeForwardHttp(
  environment: NodeJS.ProcessEnv,
  routes: HttpRoutes = httpRoutes(environment, { keepAlive: true }),
): ForwardHttp {
  const targetOf = targetsOf(routes)
  return (request, listener) => {
    const outgoing = start(request, targetOf)
    if (typeof outgoing === 'string') {
      const soon = setImmediate(() => listener.failed('not-sent', outgoing))
      return () => clearImmediate(soon)
    }
    let isOver = false
    const established = watchConnection(outgoing)
    const failed: ForwardListener['failed'] = (how, why) => {
      if (isOver) return
      isOver = true
      cancelDeadline()
      outgoing.destroy()
      listener.failed(how, why)
    }
    const hasAnswerBegun = watchAnswer(outgoing)
    const lost = (why: string) => {
      if (hasAnswerBegun()) failed('broken', why)
      else failed(established() ? 'cut' : 'not-sent', why)
    }
    const cancelDeadline = deadline(request.timeoutMs, () =>
      failed(established() ? 'timeout' : 'not-sent', 'no answer in time'),
    )
    outgoing.on('error', (error) => lost(wordsOf(error)))
    outgoing.on('close', () => lost('connection lost'))
    outgoing.on('response', (body) => {
      const { statusCode: status = 0 } = body
      if (!isFinalStatus(status)) return failed('broken', NOT_HTTP)
      if (isOver) return
      isOver = true
      cancelDeadline()
      listener.answered({
        status,
        headers: headersOf(body),
        rawHeaders: body.rawHeaders,
        body,
      })
    })
    outgoing.end(request.body)
    return () => {
      isOver = true
      cancelDeadline()
      outgoing.destroy()
    }
  }
}

const MALFORMED = 'the request could not be written'

/** Where requests of one origin go. */
interface Target {
  readonly send: typeof http.request
  readonly options: Pick<http.RequestOptions, 'protocol' | 'hostname' | 'port' | 'agent'>
}

/** The target of an origin, or why there is none. Of the last one it is kept: nearly all requests are of one origin. */
function targetsOf(routes: HttpRoutes): (origin: string) => Target | string {
  let last: { readonly origin: string; readonly target: Target } | undefined
  return (origin) => {
    if (last?.origin === origin) return last.target
    const url = new URL(origin)
    const route = routes(url)
    if (route.kind !== 'agent') return route.why
    const { protocol, port } = url
    // A URL has the address of an IPv6 host in brackets, a socket has not.
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const options = { protocol, hostname, ...(port !== '' && { port }), agent: route.agent }
    const target = { send: protocol === 'https:' ? https.request : http.request, options }
    last = { origin, target }
    return target
  }
}

/** The request, or why it cannot be made. */
function start(
  { method, origin, pathAndQuery, headers, body }: ForwardRequest,
  targetOf: (origin: string) => Target | string,
): http.ClientRequest | string {
  try {
    const target = targetOf(origin)
    if (typeof target === 'string') return target
    return target.send({
      ...target.options,
      method,
      // Not taken from a URL, whose parser would rewrite it.
      path: pathAndQuery,
      headers: body === undefined ? headers : { ...headers, 'content-length': String(body.length) },
    })
  } catch {
    // The error's own message would quote the header.
    return MALFORMED
  }
}
