import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLoopback, serviceOrigin } from '../../../app/service/service-origin.ts'

const originOf = (text: string) => (URL.canParse(text) ? serviceOrigin(new URL(text)) : undefined)

test.each([
  ['https://api.example.test', 'https://api.example.test'],
  ['https://api.example.test/', 'https://api.example.test'],
  ['https://api.example.test:8443', 'https://api.example.test:8443'],
  ['HTTPS://API.Example.Test', 'https://api.example.test'],
  ['http://127.0.0.1:4790', 'http://127.0.0.1:4790'],
  ['http://localhost:4790', 'http://localhost:4790'],
  ['http://[::1]:4790', 'http://[::1]:4790'],
  ['http://127.0.0.2:4790', 'http://127.0.0.2:4790'],
])('%s is an address', (text, origin) => {
  expect(originOf(text)).toBe(origin)
})

test.each([
  '',
  'api.example.test',
  'http://api.example.test',
  'http://127.0.0.1.example.test',
  'http://localhost.example.test',
  'http://0.0.0.0:4790',
  'ftp://api.example.test',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://user@api.example.test',
  'https://user:pass@api.example.test',
  'https://api.example.test/v3',
  'https://api.example.test?x=1',
  'https://api.example.test#x',
])('%s is not an address', (text) => {
  expect(originOf(text)).toBeUndefined()
})

test('the result is always https or loopback, and nothing but an origin', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string(),
        fc.string().map((text) => `https://${text}`),
      ),
      (text) => {
        const origin = originOf(text)
        if (origin === undefined) return
        const url = new URL(origin)
        expect(url.origin).toBe(origin)
        expect(url.protocol === 'https:' || isLoopback(url.hostname)).toBe(true)
      },
    ),
  )
})
