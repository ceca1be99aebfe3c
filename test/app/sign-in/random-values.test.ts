import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base64Url, SIGN_IN_BYTES } from '../../../app/sign-in/authorize-url.ts'

test('any bytes are written as base64url without padding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(base64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'))
    }),
  )
})

test('a verifier is as long as RFC 7636 requires', () => {
  expect(base64Url(new Uint8Array(SIGN_IN_BYTES))).toMatch(/^[\w-]{43}$/)
})
