import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  freeText,
  othersSlotsText,
  ownSlots,
  slotCells,
  slotText,
  unobservedText,
  usedSlots,
} from '../../../renderer/format/slot-text.ts'
import { slots } from '../fixtures.ts'

it('slots show how many are free and how many others use', () => {
  expect(slotText(slots('Positions Stream', 40, 1, 2))).toBe('of 40 free · 2 others')
  expect(slotText(slots('Order Stream', 40, 1, 0))).toBe('of 40 free')
})

it('slots of the desk’s other machines are a part of their own: own + desk + others + free = limit', () => {
  const row = { ...slots('Positions Stream', 10, 1, 3), desk: 2, free: 4 }
  expect(slotText(row)).toBe('of 10 free · 2 desk · 3 others')
  expect(slotText({ ...row, desk: 0, free: 6 })).toBe('of 10 free · 3 others')
  expect(othersSlotsText(row)).toBe('1 own, 2 by the desk, 3 by others, 4 of 10 free.')
  const cells = Object.entries(Object.groupBy(slotCells(row), (cell) => cell))
  expect(cells.map(([cell, all]) => [cell, all.length])).toEqual([
    ['own', 1],
    ['desk', 2],
    ['elsewhere', 3],
    ['free', 4],
  ])
  expect([usedSlots(row), usedSlots(slots('Positions Stream', 10, 1, 3))]).toEqual([6, 4])
})

it('a group without a free slot is marked in one word', () => {
  expect(freeText(slots('Option Chain Stream', 10, 9, 1))).toBe('full')
  expect(freeText(slots('Option Chain Stream', 10, 8, 1))).toBe('1 free')
  expect(othersSlotsText(slots('Option Chain Stream', 10, 8, 1))).toBe('8 own, 1 by others, 1 of 10 free.')
})

it('of slots that no header shows, own open streams are counted', () => {
  const said = (own: number) => {
    const unseen = slots('Option Chain Stream', 10, own, 0)
    return [ownSlots(unseen), unobservedText(unseen)]
  }
  expect(said(3)).toEqual(['3 own', 'others ?'])
  expect(said(0)).toEqual(['?', 'not observed'])
})

it('cells are never more than the limit, own ones first', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.nat(120), fc.nat(120), (limit, own, elsewhere) => {
      const cells = slotCells(slots('x', limit, own, elsewhere))
      expect(cells).toHaveLength(limit)
      expect(cells.filter((cell) => cell === 'own')).toHaveLength(Math.min(own, limit))
    }),
  )
})
