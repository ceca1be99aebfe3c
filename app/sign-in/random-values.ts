/**
 * Bytes of randomness in `state` and in the verifier of one sign-in.
 *
 * 32 bytes are 43 characters of base64url, as RFC 7636 4.1 recommends for a verifier.
 */
export const SIGN_IN_BYTES = 32

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Bytes as base64url (RFC 4648 section 5), without padding. */
export function base64Url(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    for (let index = 0; index <= Math.min(left, 3); index += 1) {
      text += ALPHABET[(group >> (18 - 6 * index)) & 63]
    }
  }
  return text
}
