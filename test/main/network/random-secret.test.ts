import { expect, test } from 'vitest'
import { newSecret } from '../../../main/network/random-secret.ts'

test('a secret is as long as RFC 7636 requires of a verifier', () => {
  expect(newSecret((size) => new Uint8Array(size))).toMatch(/^[\w-]{43}$/)
})
