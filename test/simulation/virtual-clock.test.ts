import fc from 'fast-check'
import { expect, test } from 'vitest'
import { VirtualClock } from './virtual-clock.ts'
import { VirtualRandom } from './virtual-random.ts'

test('due timers run in order of time, then of creation, and never early', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 60 }), async (waits) => {
      const clock = new VirtualClock()
      const ran: { readonly wait: number; readonly order: number; readonly at: number }[] = []
      waits.forEach((wait, order) => {
        clock.after(wait, () => ran.push({ wait, order, at: clock.monotonicMs() }))
      })
      await clock.advance(25)
      expect(ran.every(({ wait }) => wait <= 25)).toBe(true)
      await clock.advance(25)
      expect(ran.map(({ at }) => at)).toEqual(ran.map(({ wait }) => wait))
      const sorted = [...ran].sort((a, b) => a.wait - b.wait || a.order - b.order)
      expect(ran).toEqual(sorted)
      expect(ran.length).toBe(waits.length)
    }),
    { numRuns: 50 },
  )
})

test('a cancelled timer does not run, even if cancelled by one due at the same time', async () => {
  const clock = new VirtualClock()
  const ran: string[] = []
  clock.after(10, () => {
    ran.push('first')
    cancel()
  })
  const cancel = clock.after(10, () => ran.push('second'))
  await clock.advance(100)
  expect(ran).toEqual(['first'])
  expect(clock.pending).toBe(0)
})

test('timers stop while the machine sleeps, the world and the wall clock do not', async () => {
  const clock = new VirtualClock()
  const wallMs = clock.wallMs()
  const ran: string[] = []
  clock.after(1_000, () => ran.push('timer'))
  clock.happen(1_000, () => ran.push('event'))
  clock.sleep(60_000)
  expect([clock.monotonicMs(), clock.wallMs() - wallMs]).toEqual([0, 60_000])
  await clock.advance(0)
  expect(ran).toEqual(['event'])
  await clock.advance(1_000)
  expect(ran).toEqual(['event', 'timer'])
})

test('promises settle between two timers of the same time', async () => {
  const clock = new VirtualClock()
  const ran: string[] = []
  clock.after(5, () => {
    const chain = async () => {
      for (let step = 0; step < 50; step += 1) await null
      ran.push('settled')
    }
    void chain()
  })
  clock.after(5, () => ran.push('second'))
  await clock.advance(5)
  expect(ran).toEqual(['settled', 'second'])
})

test('one seed is one sequence, and a fork has its own', () => {
  const draws = (random: VirtualRandom) => Array.from({ length: 100 }, () => random.next())
  const numbers = draws(new VirtualRandom(7))
  expect(draws(new VirtualRandom(7))).toEqual(numbers)
  expect(draws(new VirtualRandom(8))).not.toEqual(numbers)
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
  const parent = new VirtualRandom(7)
  const fork = parent.fork()
  const after = parent.next()
  draws(fork)
  const other = new VirtualRandom(7)
  other.fork()
  expect(other.next()).toBe(after)
})
