import type { Http, HttpHeaders } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'

/**
 * The same requests, whose answers' headers hold no secret: a service, or what stands before it, may send back what it
 * was sent (a request's id made of a token, a resource's name), and such strings are shown, kept and given to support.
 *
 * Bodies come as they are: the sign-in host's hold the tokens, and of others nothing is kept but what `Secrets.clean`
 * has passed.
 */
export function cleanHttp(http: Http, secrets: Pick<Secrets, 'clean'>): Http {
  const cleaned = (headers: HttpHeaders): HttpHeaders =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, secrets.clean(value ?? '')]))
  return {
    send: async (request) => {
      const outcome = await http.send(request)
      return outcome.kind === 'answer' ? { ...outcome, headers: cleaned(outcome.headers) } : outcome
    },
    open: (request, listener) =>
      http.open(request, {
        opened: (status, headers) => listener.opened(status, cleaned(headers)),
        chunk: (bytes) => listener.chunk(bytes),
        ended: (why) => listener.ended(why),
      }),
  }
}
