import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Redactor } from '../../../main/ports/redactor.ts'
import { proves } from '../../proof/proves.ts'

const redactor = new Redactor()

test.each([
  ['Authorization: Bearer abc.def~1+/=', 'Authorization: Bearer [redacted]'],
  ['of eyJhb.eyJzd.sig_-1 here', 'of [redacted] here'],
  ['of x-eyJhb.eyJzd here', 'of x-[redacted] here'],
  ['eyJhb and eyJ.x', 'eyJhb and eyJ.x'],
  ['/callback?code=one&state=two', '/callback?code=[redacted]&state=two'],
  ['my_refresh_token=one&client_secret=two', 'my_refresh_token=[redacted]&client_secret=[redacted]'],
  ['{"access_token" : "one","password":"two"}', '{"access_token" : "[redacted]","password":"[redacted]"}'],
  ['tokens: 3, a token of yours', 'tokens: 3, a token of yours'],
])('%s', (line, clean) => {
  expect(redactor.text(line)).toBe(clean)
})

/**
 * The intended patterns in a simple form. They are slow, because they read a word again from each of its
 * characters.
 */
const MEANT = [
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 [redacted]'],
  [/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]+)?/g, '[redacted]'],
  [/([?#&]code=)[^\s"&]+/gi, '$1[redacted]'],
  [/([\w-]*(?:token|secret|password|passphrase|verifier)(?:=|"\s*:\s*"))[^\s"&,;}]+/gi, '$1[redacted]'],
] as const

test('every text is cleaned as its patterns require', () => {
  const PARTS = [
    'eyJ',
    'a',
    'B_',
    '-',
    '.',
    ' ',
    '=',
    '":"',
    '" : "',
    'token',
    'Secret',
    '&code=',
    'Bearer ',
    '"',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PARTS), { maxLength: 24 }), (parts) => {
      const line = parts.join('')
      expect(redactor.text(line)).toBe(MEANT.reduce((text, [shape, by]) => text.replace(shape, by), line))
    }),
    { numRuns: 3_000 },
  )
})

const SHORT = 4_000
/**
 * A text that is 8 times as long takes 8 times as long if the time is linear, and 64 times if it is
 * quadratic.
 */
const LONGER = 8
const TOLERATED = 24
/** Times below this are ignored, so that a pause of the machine is not taken for a quadratic pattern. */
const NOTICED_MS = 300

/** CPU milliseconds to clean `part` repeated to a length. */
function cleaningMs(part: string, length: number): number {
  const text = part.repeat(Math.ceil(length / part.length))
  const before = process.cpuUsage()
  redactor.text(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

test('a text of one repeated period is cleaned in time with as many secrets of that period', () => {
  const periodic = new Redactor()
  for (let n = 0; n < 128; n += 1) periodic.hide('ab'.repeat(500 + n))
  const before = process.cpuUsage()
  const text = `${'ab'.repeat(20)}x`.repeat(1_500)
  expect(periodic.clean(text)).toBe('[redacted]x'.repeat(1_500))
  const { user, system } = process.cpuUsage(before)
  // If every position of each secret was compared at each match, this would take 90 times as long.
  expect((user + system) / 1000).toBeLessThan(1_000)
})

test.each(['a', 'eyJ-', 'eyJa', 'token', 'token" ', 'token"  :', 'bearer ', ' ', '&code', 'a.', '-'])(
  'a text of nothing but %s takes time proportional to its length',
  (part) => {
    const short = Math.min(...[1, 2, 3].map(() => cleaningMs(part, SHORT)))
    expect(cleaningMs(part, LONGER * SHORT)).toBeLessThan(NOTICED_MS + TOLERATED * short)
    proves('T14', { level: 2, cases: 2 })
  },
  60_000,
)
