import type { HttpHeaders } from '../ports/ports.ts'
import { type HttpRoutes, httpRoutes } from './http-agents.ts'
import { headersOf, NOT_HTTP, nodeWire, type WireFailure, type WireRequest } from './node-wire.ts'

export type ForwardRequest = Omit<WireRequest, 'isWholeInTime'> & { readonly body?: Buffer }

/** A response. The body is read as it arrives, no faster than the reader consumes it. */
export interface ForwardAnswer {
  readonly status: number
  readonly headers: HttpHeaders
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[]
  /** `complete` is true after the whole body has arrived. */
  readonly body: NodeJS.ReadableStream & {
    readonly complete: boolean
    readonly destroyed: boolean
    destroy(): void
  }
}

export type ForwardFailure = WireFailure

/** Exactly one of these functions is called, once. */
export interface ForwardListener {
  answered(answer: ForwardAnswer): void
  failed(how: ForwardFailure, why: string): void
}

/** Sends a request. Returns a function that aborts it at any time, even while the body arrives. */
export type ForwardHttp = (request: ForwardRequest, listener: ForwardListener) => () => void

/**
 * Whether a response may have this status (RFC 9110, section 15). Node accepts any three digits when it reads
 * a response, but only valid statuses when it writes one.
 */
export const isFinalStatus = (status: number): boolean => status >= 200 && status <= 599

/**
 * Forwards over reusable connections, unlike `nodeHttp`. A TLS handshake for each request would take longer
 * than the request itself. If a connection closes before the first byte of a response, the outcome is `cut`.
 */
export function nodeForwardHttp(
  environment: NodeJS.ProcessEnv,
  routes: HttpRoutes = httpRoutes(environment, { keepAlive: true }),
): ForwardHttp {
  const wire = nodeWire(routes)
  return (request, listener) => {
    const abort = wire.send(request, {
      answered: (body) => {
        const { statusCode: status = 0, rawHeaders } = body
        if (isFinalStatus(status)) {
          listener.answered({ status, headers: headersOf(body), rawHeaders, body })
          return
        }
        abort()
        listener.failed('broken', NOT_HTTP)
      },
      failed: (how, why) => listener.failed(how, why),
    })
    return abort
  }
}
