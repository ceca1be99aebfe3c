import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { MAX_JSON_DEPTH, parseJson } from '../../../app/service/json.ts'
import { proves } from '../../proof/proves.ts'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

test('nesting as deep as in real responses is parsed as by JSON.parse, ignoring brackets in texts', () => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'medium' }), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text))
    }),
  )
  expect(parseJson(nested(MAX_JSON_DEPTH))).toEqual(JSON.parse(nested(MAX_JSON_DEPTH)))
  const texts = JSON.stringify({ a: '['.repeat(500), b: `\\"${'{'.repeat(500)}`, c: '\\' })
  expect(parseJson(texts)).toEqual(JSON.parse(texts))
})

test('one leading byte order mark is ignored', () => {
  expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 })
  expect(parseJson('\uFEFF\uFEFF1')).toBeUndefined()
})

test.each([
  ['one level too many', nested(MAX_JSON_DEPTH + 1)],
  ['objects', `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`],
  ['8 MB of brackets', '['.repeat(8 << 20)],
  ['after a long text', `["${'x'.repeat(1_000)}",${nested(65)}]`],
])('%s is not JSON of the service, and costs nothing', (_, text) => {
  // `JSON.parse` would accept some of these texts, and take seconds for the 8 MB.
  const parse = vi.spyOn(JSON, 'parse')
  expect(parseJson(text)).toBeUndefined()
  expect(parse).not.toHaveBeenCalled()
  parse.mockRestore()
  proves('T14', { level: 2, cases: 1 })
})

test.each(['', '{', '"', '["\\', '{"a":1,}', 'nul'])('%j is no JSON', (text) => {
  expect(parseJson(text)).toBeUndefined()
})
