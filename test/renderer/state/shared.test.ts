import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shared } from '../../../renderer/state/shared.ts'
import { snapshot } from '../fixtures.ts'

const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** The value as parsed from JSON, for example without a negative zero. */
const json = fc.jsonValue().map(parsed)

describe('sharing between two snapshots', () => {
  it('changes nothing in the later one', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(shared(before, after)).toEqual(after)
      }),
    )
  })

  it('covers everything if they are equal', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(shared(value, parsed(value))).toBe(value)
      }),
      { numRuns: 300 },
    )
  })

  it('covers every unchanged part', () => {
    const before = snapshot()
    const after = parsed(
      snapshot({ revision: 2, streams: before.streams.with(0, { ...before.streams[0]!, restarts: 1 }) }),
    )
    const result = shared(before, after)
    expect(result.slots).toBe(before.slots)
    expect(result.requests).toBe(before.requests)
    expect(result.streams).not.toBe(before.streams)
    expect(result.streams[1]).toBe(before.streams[1])
    expect(result.streams[0]?.restarts).toBe(1)
  })
})
