import { expect, test } from 'vitest'
import { FairQueue } from '../../../app/gateway/fair-queue.ts'
import { ServedRates } from '../../../app/gateway/served-rates.ts'

test('programs are reckoned with at their pace, by class, and are forgotten when they cease', () => {
  const rates = new ServedRates()
  for (let nowMs = 0; nowMs <= 600_000; nowMs += 1000) {
    rates.add({ program: 'bot', class: 'critical', weight: 2 }, nowMs)
    if (nowMs % 4000 === 0) rates.add({ program: 'notes', class: 'critical', weight: 1 }, nowMs)
  }
  expect(rates.programsOf('critical', 600_000)).toMatchObject([
    { program: 'bot', weight: 2, perMs: expect.closeTo(0.001, 4) },
    { program: 'notes', weight: 1, perMs: expect.closeTo(0.00025, 4) },
  ])
  expect(rates.perMs('critical', 600_000)).toBeCloseTo(0.00125, 4)
  expect(rates.perMs('normal', 600_000)).toBe(0)
  expect(rates.programsOf('critical', 1_200_000)).toEqual([])
})

test('as many requests of another program go before one as its share allows, and no more', () => {
  const queue = new FairQueue<{ readonly order: number }>()
  const items = [0, 1, 2, 3].map((order) => ({ order }))
  for (const item of items) queue.add('scanner', 1, item)
  const last = items[3]!
  expect(queue.roomBefore('scanner', last, 'idle', 1)).toBe(3)
  expect(queue.roomBefore('scanner', last, 'idle', 2)).toBe(6)
  queue.add('notes', 1, { order: 9 })
  expect(queue.roomBefore('scanner', last, 'notes', 1)).toBe(2)
  expect(queue.roomBefore('scanner', items[0]!, 'notes', 1)).toBe(0)
  expect(queue.roomBefore('scanner', { order: 99 }, 'notes', 1)).toBe(0)
})
