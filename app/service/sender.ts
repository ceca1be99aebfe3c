import type { HttpHeaders, Observation } from './headers.ts'

/** The sender of a response: the service, or an intermediary, such as a network that requires a sign-in. */
export type Sender =
  | { readonly kind: 'service' }
  /** The head does not show it; the body may. */
  | { readonly kind: 'unsure' }
  | { readonly kind: 'other'; readonly why: string }

/** Displayed reason for a page in place of the service's response. */
export const SOMETHING_ELSE = 'response of something else, such as a network’s sign-in page'

/**
 * Tells by status line and headers who answered a request to `url`.
 *
 * Only the service sends quota headers (service 2.2). Its payloads are JSON, so a page with a 200 comes from
 * elsewhere, such as a network's sign-in page, and so does a redirect to another host. A refusal may be a
 * page of the service too.
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

/** The sender of a response whose body, or the beginning of it, is also known. */
export function senderOfAnswer(observation: Observation, url: string, body: string): Sender {
  const sender = senderOf(observation, url)
  if (sender.kind !== 'unsure' || !isPage(body)) return sender
  return { kind: 'other', why: SOMETHING_ELSE }
}

/** Whether a body begins like an HTML page, which JSON never does. */
export const isPage = (body: string): boolean => body.trimStart().startsWith('<')

/**
 * The other host that an answer redirects to, by name only: the rest of an address may hold a secret.
 * `undefined` for none.
 */
export function redirectedTo(status: number, headers: HttpHeaders, url: string): string | undefined {
  if (status < 300 || status > 399) return undefined
  const to = authorityOf(headers['location'] ?? '')
  if (to === undefined || to.toLowerCase() === authorityOf(url)?.toLowerCase()) return undefined
  return to.replace(/:\d*$/, '').toLowerCase()
}

/** Why a response that redirects to another host is rejected. */
export const redirectText = (host: string): string => `redirected to another host (${host}); not followed`

/**
 * Host and port of an address; `undefined` for one without a host, which stays on the host that was asked.
 */
const authorityOf = (address: string): string | undefined =>
  /^\s*(?:https?:)?\/\/(?:[^@/?#\\]*@)?((?:\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?)(?=[/?#]|\s*$)/i.exec(
    address,
  )?.[1]
