import { expect, it } from 'vitest'
import { tokenBucket } from '../../../main/desk/pace.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'

const taken = (take: () => boolean, tries: number) =>
  Array.from({ length: tries }, take).filter(Boolean).length

it('a pace allows a burst, then its rate, and saves up no more than the burst', async () => {
  const clock = new VirtualClock()
  const pace = tokenBucket(clock, { most: 10, perSecond: 5 })
  expect(taken(pace, 100)).toBe(10)
  await clock.advance(199)
  expect(taken(pace, 100)).toBe(0)
  await clock.advance(1)
  expect(taken(pace, 100)).toBe(1)
  await clock.advance(3_600_000)
  expect(taken(pace, 100)).toBe(10)
})
