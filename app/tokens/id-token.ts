import { z } from 'zod/mini'
import { jsonOf, memberOf } from '../service/json.ts'
import { uriDecoded } from '../service/service-origin.ts'

/** Maximum length of a `sub` (OpenID Connect Core 1.0, section 2). */
const MAX_SUBJECT = 255
/** Maximum length of an ID token. A longer one is not read. */
const MAX_LENGTH = 16_384

/**
 * The signed-in user's `sub` in the `id_token` of a token response. `undefined` for an opaque ID token, which
 * service 2.1 permits.
 *
 * The signature is not checked, because the token comes straight from the sign-in host, over TLS (OpenID
 * Connect Core 1.0, section 3.1.3.7).
 */
export function idTokenSubject(idToken: unknown): string | undefined {
  if (typeof idToken !== 'string' || idToken.length > MAX_LENGTH) return undefined
  const [, payload, signature] = idToken.split('.')
  if (payload === undefined || signature === undefined) return undefined
  const sub = memberOf(jsonOf(decoded(payload) ?? ''), 'sub')
  return typeof sub === 'string' && sub !== '' && sub.length <= MAX_SUBJECT ? sub : undefined
}

/** The UTF-8 text of base64url digits; `undefined` if they are invalid. */
function decoded(digits: string): string | undefined {
  if (!z.regexes.base64url.test(digits)) return undefined
  const bytes = z.util.base64urlToUint8Array(digits)
  return uriDecoded(Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''))
}
