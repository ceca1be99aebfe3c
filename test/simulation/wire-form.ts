import type { HttpHeaders } from '../../app/service/headers.ts'
import type { HttpOutcome, HttpRequest } from '../../main/ports/ports.ts'
import type { Answer, ServiceRequest, WireHeaders } from '../../main/simulator/wire.ts'

/** The headers as a Node client reads them. */
export function headersOf(headers: WireHeaders): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** The request as the service reads it from its socket. */
export function serviceRequestOf(request: HttpRequest): ServiceRequest {
  const url = new URL(request.url)
  return {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: request.headers,
    body: request.body ?? '',
  }
}

/** The outcome of a whole response. */
export function outcomeOf({ status, headers, body }: Answer): HttpOutcome {
  return { kind: 'answer', status, headers: headersOf(headers), body }
}
