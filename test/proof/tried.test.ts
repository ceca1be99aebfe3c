import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesThatRan, tried } from './tried.ts'

test('a claim is limited to the actual assertions and property runs', async () => {
  expect(casesThatRan(1_000)).toBe(1)
  fc.assert(
    fc.property(fc.integer(), () => true),
    { numRuns: 40 },
  )
  await fc.assert(
    fc.asyncProperty(fc.integer(), async () => true),
    { numRuns: 7 },
  )
  // The 47 runs of the properties, and the call of `expect` above.
  expect(casesThatRan(1_000)).toBe(48)
  expect(casesThatRan(12)).toBe(12)
})

test('cases of another test do not count, and a test’s own do', () => {
  tried(200)
  tried()
  expect(casesThatRan(1_000)).toBe(201)
})

describe('a test without a case proves nothing', () => {
  test('has one case', () => {
    const cases = casesThatRan(5)
    expect(cases).toBe(1)
  })
})
