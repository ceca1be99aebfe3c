import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkPassphrase, passphraseStrength } from '../../../../main/hosts/terminal/passphrase-check.ts'
import { proves } from '../../../proof/proves.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'

test.each([
  '',
  'a',
  'password',
  'Summer2026!',
  'the words',
  'qwertyuiopasdfghjkl',
  'a'.repeat(24),
  'tM4!kq9Zb$',
])(
  '%j is too weak for a new folder: one line names the variable, the time to guess it and a better choice',
  (passphrase) => {
    const check = checkPassphrase(temporaryFolder(), passphrase)
    expect(check).toEqual({
      kind: 'too-weak',
      line: expect.stringMatching(
        /^HEADROOM_PASSPHRASE is weak: 10,000 guesses a second would find it in about \d+ \w+; .*twelve random/,
      ),
    })
    proves('K2', { level: 1, cases: 1 })
  },
)

test.each(['plum river saddle anchor', 'kx93hfqp2mza'])(
  '%j is strong enough for a new folder, which one line confirms',
  (passphrase) => {
    expect(checkPassphrase(temporaryFolder(), passphrase)).toEqual({
      kind: 'new',
      line: 'keys encrypted with HEADROOM_PASSPHRASE',
    })
  },
)

test('twelve random letters are always as strong as the line claims', () => {
  const letters = fc.array(fc.constantFrom(...'bcdfghjkmnpqrstvwxz2456789'), { minLength: 14, maxLength: 14 })
  let enough = 0
  fc.assert(
    fc.property(letters, (some) => {
      enough += passphraseStrength(some.join('')).isEnough ? 1 : 0
    }),
    { numRuns: 40, seed: 5 },
  )
  expect(enough).toBeGreaterThan(37)
})

test('a passphrase in use continues to work; a weak one gets a warning each time', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'vault.db'), '')
  expect(checkPassphrase(folder, 'the words')).toEqual({
    kind: 'weak',
    line: expect.stringContaining(
      'connect your keys in another folder (--data) with a stronger one: four random words',
    ),
  })
  expect(checkPassphrase(folder, 'plum river saddle anchor')).toEqual({ kind: 'strong' })
})

test('however it was typed, it is judged in its normalised form', () => {
  expect(passphraseStrength('cafe\u0301')).toEqual(passphraseStrength('caf\u00e9'))
})

test.each([
  ['a', /second/],
  ['tM4!kq9Zb$', /^about 11 days$/],
  ['plum river saddle anchor', /^more than 1,000 years$/],
])('the time of %j is in words of matching size', (passphrase, words) => {
  expect(passphraseStrength(passphrase).time).toMatch(words)
})
