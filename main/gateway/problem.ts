import { type ServerResponse, STATUS_CODES } from 'node:http'

/** A response that the gateway itself generates. */
export interface Problem {
  readonly status: number
  /** One sentence that says what happened and what to do. */
  readonly detail: string
  /** The proxy error type (RFC 9209, section 2.3). */
  readonly proxyError: ProxyError
  /** The service's name for this error (service 3), for clients that read it. */
  readonly error?: string
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The problem type (RFC 9457). Absent if the status is enough. */
  readonly type?: string
  /** Further members of the body. */
  readonly members?: Readonly<Record<string, string | boolean>>
}

export type ProxyError =
  | 'connection_refused'
  | 'connection_terminated'
  | 'connection_timeout'
  | 'destination_unavailable'
  | 'http_protocol_error'
  | 'http_request_denied'
  | 'http_request_error'
  | 'http_response_timeout'
  | 'proxy_internal_error'

/** The gateway's name in `Via` and `Proxy-Status`. */
export const GATEWAY_NAME = 'headroom'

/**
 * The body of a problem (`application/problem+json`, RFC 9457), with the two members of the service's errors
 * (service 3).
 */
export function problemBody({ status, detail, error, message, type, members }: Problem): string {
  const title = STATUS_CODES[status] ?? 'Error'
  return JSON.stringify({
    type: type ?? 'about:blank',
    title,
    status,
    detail,
    Error: error ?? title.replaceAll(' ', ''),
    Message: message ?? detail,
    ...members,
  })
}

/** The headers of a problem, including `Proxy-Status` (RFC 9209). */
export function problemHeaders(problem: Problem, body: string): Record<string, string> {
  return {
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'proxy-status': `${GATEWAY_NAME}; error=${problem.proxyError}; details="${quoted(problem.detail)}"`,
    ...problem.headers,
  }
}

/** Sends a problem. Closes the connection if the request was not read to its end. */
export function sendProblem(reply: ServerResponse, problem: Problem): void {
  if (reply.headersSent || reply.destroyed) return
  const body = problemBody(problem)
  if (!reply.req.complete) reply.setHeader('connection', 'close')
  reply.writeHead(problem.status, problemHeaders(problem, body))
  reply.end(reply.req.method === 'HEAD' ? undefined : body)
}

/**
 * The content of a string in a structured header (RFC 8941, section 3.3.3): ASCII, with `"` and `\` escaped.
 */
const quoted = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')
