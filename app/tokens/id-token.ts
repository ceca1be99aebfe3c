import { jsonOf } from '../service/json.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
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
  const claims = jsonOf(decoded(payload) ?? '')
  if (typeof claims !== 'object' || claims === null || !('sub' in claims)) return undefined
  const { sub } = claims
  return typeof sub === 'string' && sub !== '' && sub.length <= MAX_SUBJECT ? sub : undefined
}

/** The UTF-8 text of base64url digits; `undefined` if they are invalid. */
function decoded(digits: string): string | undefined {
  let escaped = ''
  let bits = 0
  let value = 0
  for (const digit of digits) {
    const six = ALPHABET.indexOf(digit)
    if (six === -1) return undefined
    value = (value << 6) | six
    bits += 6
    if (bits < 8) continue
    bits -= 8
    escaped += `%${(value >> bits).toString(16).padStart(2, '0')}`
    value &= (1 << bits) - 1
  }
  try {
    return decodeURIComponent(escaped)
  } catch {
    return undefined // not UTF-8
  }
}
