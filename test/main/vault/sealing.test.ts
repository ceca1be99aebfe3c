import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fingerprint } from '../../../main/vault/journal.ts'
import { derivedKey, seal, unseal } from '../../../main/vault/sealing.ts'

const key = randomBytes(32)
const place = { profile: 'key-1', kind: 'refresh-token', generation: 3 }

test('any text round-trips, and no two ciphertexts are alike', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const sealed = seal(key, place, text)
      const wellFormed = text.toWellFormed()
      expect(unseal(key, place, sealed)).toBe(wellFormed)
      expect(Buffer.from(seal(key, place, text)).equals(sealed)).toBe(false)
    }),
  )
})

test('a changed bit anywhere, a cut end or an added byte does not decrypt', () => {
  const sealed = seal(key, place, 'a refresh token')
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const changed = Uint8Array.from(sealed)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(unseal(key, place, changed)).toBeUndefined()
  }
  for (let length = 0; length < sealed.length; length += 1) {
    expect(unseal(key, place, sealed.subarray(0, length))).toBeUndefined()
  }
  expect(unseal(key, place, Uint8Array.of(...sealed, 0))).toBeUndefined()
})

test('it decrypts only in its place, and only with its key', () => {
  const sealed = seal(key, place, 'a refresh token')
  expect(unseal(key, { ...place, profile: 'key-2' }, sealed)).toBeUndefined()
  expect(unseal(key, { ...place, kind: 'client-secret' }, sealed)).toBeUndefined()
  expect(unseal(key, { ...place, generation: 4 }, sealed)).toBeUndefined()
  expect(unseal(randomBytes(32), place, sealed)).toBeUndefined()
})

test('places cannot be confused by moving a letter from one part to the next', () => {
  const sealed = seal(key, { profile: 'ab', kind: 'c', generation: 1 }, 'text')
  expect(unseal(key, { profile: 'a', kind: 'bc', generation: 1 }, sealed)).toBeUndefined()
})

test('a fingerprint distinguishes tokens, and needs the key', () => {
  expect(fingerprint(key, 'one')).toMatch(/^[0-9a-f]{16}$/)
  expect(fingerprint(key, 'one')).toBe(fingerprint(key, 'one'))
  expect(fingerprint(key, 'one')).not.toBe(fingerprint(key, 'two'))
  expect(fingerprint(randomBytes(32), 'one')).not.toBe(fingerprint(key, 'one'))
  expect(derivedKey(key, 'fingerprints')).not.toEqual(key)
})
