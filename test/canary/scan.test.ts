import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leaksOf } from './scan.ts'

const secretText = fc.stringMatching(/^[A-Za-z0-9+/ .~"\\-]{16,64}$/)
const spelt = (text: string, one: (code: number) => string) =>
  [...text].map((letter) => one(letter.charCodeAt(0))).join('')
const around = fc.string({ maxLength: 40 })

test.each([
  ['as it is', (text: string) => text],
  ['percent-encoded', encodeURIComponent],
  ['hex', (text: string) => Buffer.from(text).toString('hex')],
  ['hex', (text: string) => Buffer.from(text).toString('hex').toUpperCase()],
  ['percent-encoded', (text: string) => new URLSearchParams([['', text]]).toString()],
  ['escaped', (text: string) => encodeURIComponent(encodeURIComponent(text))],
  ['escaped', (text: string) => JSON.stringify(text)],
  ['escaped', (text: string) => JSON.stringify(text).replaceAll('/', '\\/')],
  ['escaped', (text: string) => spelt(text, (code) => `%${code.toString(16)}`)],
  ['escaped', (text: string) => spelt(text, (code) => `%${code.toString(16).toUpperCase()}`)],
  ['escaped', (text: string) => spelt(text, (code) => `\\u00${code.toString(16)}`)],
  ['escaped', (text: string) => spelt(text, (code) => `&#${code};`)],
  ['base64', (text: string) => Buffer.from(text).toString('base64')],
  ['base64', (text: string) => Buffer.from(text).toString('base64url')],
] as const)('a present secret %s is found, whatever surrounds it', (form, encoded) => {
  fc.assert(
    fc.property(secretText, around, around, (secret, before, after) => {
      const bytes = `${before}${encoded(secret)}${after}`
      expect(leaksOf({ token: secret }, [{ where: 'a log', bytes }])).toContain(`token, ${form}, in a log`)
    }),
  )
})

test('a secret in a memory dump is found if a character takes two bytes', () => {
  const bytes = Buffer.from('xxq8Zr-2mVx.77kLpTxx', 'utf16le')
  expect(leaksOf({ token: 'q8Zr-2mVx.77kLpT' }, [{ where: 'a dump', bytes }])).toEqual([
    'token, in two bytes a character, in a dump',
  ])
})

test('a secret inside a longer encoded text is found', () => {
  fc.assert(
    fc.property(secretText, around, around, (secret, before, after) => {
      const bytes = Buffer.from(`${before}${secret}${after}`).toString('base64')
      expect(leaksOf({ token: secret }, [{ where: 'a body', bytes }])).not.toEqual([])
    }),
  )
})

test('any eight characters of it are found, and seven are not', () => {
  const secret = 'q8Zr-2mVx.77kLpT+w0Y/e'
  for (let at = 0; at + 8 <= secret.length; at += 1) {
    const trace = (length: number) => [{ where: 'a file', bytes: `{"x":"${secret.slice(at, at + length)}"}` }]
    expect(leaksOf({ token: secret }, trace(8))).toContain('token, as it is, in a file')
    expect(leaksOf({ token: secret }, trace(7))).toEqual([])
  }
})
