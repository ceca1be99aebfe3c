import type { HttpHeaders } from './answer.ts'
import { readHeaders } from './headers.ts'

/** Whose answer this is: what stands between, such as a network that wants a sign-in, answers for any host. */
export type Sender =
  | { readonly kind: 'service' }
  /** Its head does not say; the body may. */
  | { readonly kind: 'unsure' }
  | { readonly kind: 'other'; readonly why: string }

/** What a person reads of a page where the service should have answered. */
export const SOMETHING_ELSE = 'answered by something else (a sign-in page of a network?)'

/**
 * Tells by status line and headers who answered a request to `url`.
 *
 * Quota headers are the service's alone (service 2.2). Every payload of the service is JSON, so a page with a 200 is
 * somebody else's, and so is whoever sends a request on to another host. A refusal may well be a page: it says
 * nothing about who sent it.
 */
export function senderOf(status: number, headers: HttpHeaders, url: string): Sender {
  const to = redirectedTo(status, headers, url)
  if (to !== undefined) return { kind: 'other', why: redirectWords(to) }
  if (status < 200 || status > 299) return { kind: 'service' }
  const { rate, concurrency } = readHeaders(headers)
  if (rate || concurrency) return { kind: 'service' }
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'text/html' || type === 'application/xhtml+xml') return { kind: 'other', why: SOMETHING_ELSE }
  return /[/+]json$/.test(type) ? { kind: 'service' } : { kind: 'unsure' }
}

/** The same with the body in hand, or its beginning: JSON never begins like a page. */
export function senderOfAnswer(status: number, headers: HttpHeaders, url: string, body: string): Sender {
  const sender = senderOf(status, headers, url)
  if (sender.kind !== 'unsure' || !isPage(body)) return sender
  return { kind: 'other', why: SOMETHING_ELSE }
}

export const isPage = (body: string): boolean => body.trimStart().startsWith('<')

/** The other host that an answer sends a request on to. Its name only: the rest of an address may hold anything. */
export function redirectedTo(status: number, headers: HttpHeaders, url: string): string | undefined {
  if (status < 300 || status > 399) return undefined
  const to = authorityOf(headers['location'] ?? '')
  if (to === undefined || to.toLowerCase() === authorityOf(url)?.toLowerCase()) return undefined
  return to.replace(/:\d*$/, '').toLowerCase()
}

export const redirectWords = (host: string): string => `redirects to another host (${host}); not followed`

/** `undefined` where an address names no host: it stays on the one that was asked. */
const authorityOf = (address: string): string | undefined =>
  /^\s*(?:https?:)?\/\/(?:[^@/?#\\]*@)?((?:\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?)(?=[/?#]|\s*$)/i.exec(
    address,
  )?.[1]
