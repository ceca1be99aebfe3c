import type { Http, HttpHeaders } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'

/**
 * An `Http` that removes secrets from response headers, and drops headers whose names contain a secret. A
 * service or proxy may repeat parts of a request, and headers are shown, stored and sent to support.
 *
 * Bodies are not changed, because the sign-in host sends tokens in them. Texts from other bodies are stored
 * only after `Secrets.clean`.
 */
export function cleanHttp(http: Http, secrets: Pick<Secrets, 'clean'>): Http {
  const cleaned = (headers: HttpHeaders): HttpHeaders =>
    Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => secrets.clean(name) === name)
        .map(([name, value]) => [name, secrets.clean(value ?? '')]),
    )
  return {
    reach: (url, timeoutMs) => http.reach(url, timeoutMs),
    send: async (request) => {
      const outcome = await http.send(request)
      return outcome.kind === 'answer' ? { ...outcome, headers: cleaned(outcome.headers) } : outcome
    },
    open: (request, listener) =>
      http.open(request, {
        opened: (status, headers) => listener.opened(status, cleaned(headers)),
        chunk: (bytes) => listener.chunk(bytes),
        ended: (why, how) => listener.ended(why, how),
      }),
  }
}
