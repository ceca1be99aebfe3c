/** What the browser brought to the redirect server. */
export type Redirect =
  | { readonly kind: 'code'; readonly code: string }
  /** `access_denied`: the person said no. */
  | { readonly kind: 'declined' }
  /** Any other error of the service; `error` is its code, cut to what an OAuth code can be. */
  | { readonly kind: 'refused'; readonly error: string }
  /** An answer to something else: an older tab, or a page that tries its luck. */
  | { readonly kind: 'wrong-state' }
  | { readonly kind: 'not-a-redirect' }

const LONGEST_CODE = 4096

/**
 * Reads the query of a redirect (RFC 6749 4.1.2), given as its decoded pairs.
 *
 * `state` is looked at first: an error or a code that was not asked for by this sign-in must not even end it, or any
 * page in the same browser could.
 */
export function readRedirect(pairs: Iterable<readonly [string, string]>, expectedState: string): Redirect {
  const fields = new Map<string, string>()
  for (const [name, value] of pairs) {
    if (fields.has(name)) return { kind: 'not-a-redirect' }
    fields.set(name, value)
  }
  const code = fields.get('code')
  const error = fields.get('error')
  if (code === undefined && error === undefined) return { kind: 'not-a-redirect' }
  if (fields.get('state') !== expectedState) return { kind: 'wrong-state' }
  if (error === 'access_denied') return { kind: 'declined' }
  if (error !== undefined) return { kind: 'refused', error: errorCode(error) }
  if (code === undefined || code === '' || code.length > LONGEST_CODE) return { kind: 'not-a-redirect' }
  return { kind: 'code', code }
}

const errorCode = (text: string): string => (/^[\w.-]{1,60}$/.test(text) ? text : 'an unreadable error')
