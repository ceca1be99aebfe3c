import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Lifetime } from '../../../app/conditions/lifetime.ts'

const AT = 1_000_000
/** Recovery time of a 429, milliseconds. */
const RECOVER_MS = 10_000

it('a condition is present until it is missed, and again once it is seen', () => {
  const lifetime = new Lifetime('rate-limited', AT)
  expect(lifetime.isPresent).toBe(true)
  expect(lifetime.isSame(AT + 3_600_000)).toBe(true)
  lifetime.missed(AT + 1)
  expect(lifetime.isPresent).toBe(false)
  lifetime.seen()
  expect(lifetime.isPresent).toBe(true)
  expect(lifetime.sinceMs).toBe(AT)
})

it.each([
  ['rate-limited', RECOVER_MS],
  ['running-out', 20_000],
  // `others` raises no alert, so it has no recovery time.
  ['others', 0],
])(
  'a condition "%s" has ended after %i ms of absence; seen at that moment, it is the same',
  (kind, recoverMs) => {
    const lifetime = new Lifetime(kind, AT)
    expect(lifetime.missed(AT)).toBe(recoverMs === 0)
    expect(lifetime.missed(AT + recoverMs - 1)).toBe(false)
    expect(lifetime.missed(AT + recoverMs)).toBe(true)
    expect(lifetime.isSame(AT + recoverMs)).toBe(true)
    expect(lifetime.isSame(AT + recoverMs + 1)).toBe(false)
  },
)

it('a condition ends only after an absence without interruption', () => {
  const step = fc.record({
    isPresent: fc.boolean(),
    gapMs: fc.constantFrom(1, 999, 1_000, 9_999, RECOVER_MS),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const lifetime = new Lifetime('rate-limited', AT)
      let at = AT
      const absences: number[] = []
      for (const { isPresent, gapMs } of steps) {
        at += gapMs
        const absentMs = at - (absences[0] ?? at)
        expect(lifetime.isSame(at)).toBe(absentMs <= RECOVER_MS)
        if (isPresent) {
          lifetime.seen()
          absences.length = 0
        } else {
          expect(lifetime.missed(at)).toBe(absentMs >= RECOVER_MS)
          absences.push(at)
        }
        expect(lifetime.isPresent).toBe(absences.length === 0)
      }
    }),
  )
})
