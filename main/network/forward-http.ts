import type { HttpHeaders } from '../ports/ports.ts'
import { type HttpRoutes, httpRoutes } from './http-agents.ts'
import { headersOf, NOT_HTTP, nodeWire, type WireFailure, type WireRequest } from './node-wire.ts'

/** A request that is passed on for a program. */
export type ForwardRequest = Omit<WireRequest, 'isWholeInTime'> & { readonly body?: Buffer }

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

export type ForwardFailure = WireFailure

/** One of the two is called, once. */
export interface ForwardListener {
  answered(answer: ForwardAnswer): void
  failed(how: ForwardFailure, why: string): void
}

/** Sends a request. Returns a function that aborts it at any time, also while the body comes. */
export type ForwardHttp = (request: ForwardRequest, listener: ForwardListener) => () => void

/** Whether an answer may have this status (RFC 9110, section 15). Node reads any three digits and writes only some. */
export const isFinalStatus = (status: number): boolean => status >= 200 && status <= 599

/**
 * Forwarding with connections that are used again, unlike those of `nodeHttp`: a TLS handshake would cost a program more
 * than its request. One that dies meanwhile counts as cut.
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
