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
export const problemHeaders = (problem: Problem, body: string): Record<string, string> => ({
  ...ownHeaders('application/problem+json', body),
  'proxy-status': `${GATEWAY_NAME}; error=${problem.proxyError}; details="${quoted(problem.detail)}"`,
  ...problem.headers,
})

const ownHeaders = (type: string, body: string): Record<string, string> => ({
  'content-type': type,
  'content-length': String(Buffer.byteLength(body)),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})

export function sendProblem(reply: ServerResponse, problem: Problem): void {
  const body = problemBody(problem)
  send(reply, { status: problem.status, headers: problemHeaders(problem, body), body })
}

export function sendJson(reply: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  send(reply, { status, headers: ownHeaders('application/json', body), body })
}

interface OwnAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** Closes the connection if the request was not read to its end. */
function send(reply: ServerResponse, { status, headers, body }: OwnAnswer): void {
  if (reply.headersSent || reply.destroyed) return
  if (!reply.req.complete) reply.setHeader('connection', 'close')
  reply.writeHead(status, headers)
  reply.end(reply.req.method === 'HEAD' ? undefined : body)
}

/** Statuses for a faulty request. With any other status, the request is valid but not permitted. */
const WRONG_REQUEST = new Set([400, 408, 413, 414, 417, 431])

/** The response to a request that the gateway declines. */
export const denied = (status: number, detail: string): Problem => ({
  status,
  detail,
  proxyError: WRONG_REQUEST.has(status) ? 'http_request_error' : 'http_request_denied',
})

export const unauthorized = (detail: string): Problem => ({
  ...denied(401, detail),
  headers: { 'www-authenticate': `Bearer realm="${GATEWAY_NAME}"` },
})

/** A 429 in the service's form (service 7). `message`: the body's `Message`. */
export const tooMany = (detail: string, message: string, headers: Problem['headers'] = {}): Problem => ({
  ...denied(429, detail),
  error: 'TooManyRequests',
  message,
  headers,
})

/** The header that says when to retry. Empty if `seconds` is unknown. */
export const retryAfter = (seconds: number | undefined): Record<string, string> =>
  seconds === undefined ? {} : { 'retry-after': String(seconds) }

/**
 * The content of a string in a structured header (RFC 8941, section 3.3.3): ASCII, with `"` and `\` escaped.
 */
const quoted = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')
