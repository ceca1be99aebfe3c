/** The result of one request to the redirect server. */
export type Redirect =
  | { readonly kind: 'code'; readonly code: string }
  /** `access_denied`: the person declined. */
  | { readonly kind: 'declined' }
  /** Any other error of the service. `error` is its code, reduced to valid characters. */
  | { readonly kind: 'refused'; readonly error: string }
  /** The redirect's `state` is from another sign-in: an older tab, or a hostile page. */
  | { readonly kind: 'wrong-state' }
  | { readonly kind: 'not-a-redirect' }

const MAX_CODE = 4096

/**
 * Parses the query of a redirect (RFC 6749 4.1.2), given as decoded pairs.
 *
 * `state` is checked first. So a page in the same browser can't end this sign-in with an error or code of its
 * own.
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
  if (code === undefined || code === '' || code.length > MAX_CODE) return { kind: 'not-a-redirect' }
  return { kind: 'code', code }
}

const errorCode = (text: string): string => (/^[\w.-]{1,60}$/.test(text) ? text : 'an unreadable error')
