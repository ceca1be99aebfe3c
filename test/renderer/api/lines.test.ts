import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineSplitter, parsePush } from '../../../renderer/api/browser-api.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('the lines of the push stream', () => {
  it('are the same wherever the chunks end, even inside a character', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replace(/[\n\r]/g, ' '))
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        (lines, sizes) => {
          const all = bytes(lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
          const split = lineSplitter()
          const read: string[] = []
          for (let from = 0; from < all.length; ) {
            const size = sizes.next().value
            read.push(...split(all.subarray(from, from + size)))
            from += size
          }
          expect(read.map((one) => JSON.parse(one) as string)).toEqual(lines)
        },
      ),
    )
  })

  it('skip blank lines that keep the connection alive', () => {
    const split = lineSplitter()
    expect(split(bytes('\n\n{"a":1}\n\n'))).toEqual(['{"a":1}'])
  })

  it('wait for the end of the last one', () => {
    const split = lineSplitter()
    expect(split(bytes('{"a":'))).toEqual([])
    expect(split(bytes('1}'))).toEqual([])
    expect(split(bytes('\n'))).toEqual(['{"a":1}'])
  })
})

describe('a push', () => {
  it('has a channel and a value', () => {
    expect(parsePush('{"channel":"profileRemoved","value":{"profile":"a"}}')).toEqual({
      channel: 'profileRemoved',
      value: { profile: 'a' },
    })
  })

  it.each([
    '',
    'null',
    '1',
    '[]',
    '{}',
    '{"channel":1,"value":2}',
    '{"channel":"x"}',
    '{"channel":"x","value":',
  ])('is not %j', (line) => {
    expect(parsePush(line)).toBeUndefined()
  })
})
