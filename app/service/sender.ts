import type { HttpHeaders, Observation } from './headers.ts'

/** The sender of a response: the service, or an intermediary such as a network's sign-in page. */
export type Sender =
  | { readonly kind: 'service' }
  /** The head does not show the sender. The body may. */
  | { readonly kind: 'unsure' }
  | { readonly kind: 'other'; readonly why: string }

/** The displayed reason if a page arrives in place of the service's response. */
export const SOMETHING_ELSE = 'response from something else, such as a network’s sign-in page'

/**
 * Determines from status and headers whether the service answered a request to `url`.
 *
 * Only the service sends quota headers (service 2.2). Its payloads are JSON, so a page with status 200 comes
 * from an intermediary, and so does a redirect to another host. An error page may be the service's own.
 */
export function senderOf({ status, headers, rate, concurrency }: Observation, url: string): Sender {
  const to = redirectedTo(status, headers, url)
  if (to !== undefined) return { kind: 'other', why: redirectText(to) }
  if (status < 200 || status > 299) return { kind: 'service' }
  if (rate || concurrency) return { kind: 'service' }
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'text/html' || type === 'application/xhtml+xml') return { kind: 'other', why: SOMETHING_ELSE }
  return /[/+]json$/.test(type) ? { kind: 'service' } : { kind: 'unsure' }
}

/** Like `senderOf`, for a response of which at least the beginning of the body is known. */
export function senderOfAnswer(observation: Observation, url: string, body: string): Sender {
  const sender = senderOf(observation, url)
  if (sender.kind !== 'unsure' || !isPage(body)) return sender
  return { kind: 'other', why: SOMETHING_ELSE }
}

/** Whether a body begins like an HTML page, which JSON never does. */
export const isPage = (body: string): boolean => body.trimStart().startsWith('<')

/**
 * Name of the other host that a response redirects to. `undefined` if it redirects to no other host. Only the
 * name is returned, because the rest of the address may contain a secret.
 */
export function redirectedTo(status: number, headers: HttpHeaders, url: string): string | undefined {
  if (status < 300 || status > 399) return undefined
  const to = authorityOf(headers['location'] ?? '')
  if (to === undefined || to.toLowerCase() === authorityOf(url)?.toLowerCase()) return undefined
  return to.replace(/:\d*$/, '').toLowerCase()
}

/** Why a response that redirects to another host is rejected. */
export const redirectText = (host: string): string => `redirected to another host (${host}); not followed`

/** Host and port of an address. `undefined` for a relative address, which stays on the same host. */
const authorityOf = (address: string): string | undefined =>
  /^\s*(?:https?:)?\/\/(?:[^@/?#\\]*@)?((?:\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?)(?=[/?#]|\s*$)/i.exec(
    address,
  )?.[1]
