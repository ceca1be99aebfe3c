import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proposedToClose, type SlotHolder } from '../../../app/streams/slot-proposal.ts'

const holder = (stream: string, openedAt: number, framesPerSecond: number, pinned = false): SlotHolder => ({
  stream,
  target: 'MSFT',
  openedAt,
  framesPerSecond,
  pinned,
})

test('proposes the least used stream, and of those nearly unused the oldest', () => {
  const busy = holder('busy', 1, 40)
  const slow = holder('slow', 2, 0.4)
  const idle = holder('idle', 3, 0)
  expect(proposedToClose([busy, idle, slow])?.stream).toBe('slow')
  expect(proposedToClose([busy, holder('half', 9, 0.5)])?.stream).toBe('half')
  expect(proposedToClose([])).toBeUndefined()
})

test('of two equally used, proposes the one with fewer readers', () => {
  const shared = { ...holder('shared', 1, 40), readers: 7 }
  expect(proposedToClose([shared, { ...holder('own', 2, 40), readers: 1 }])?.stream).toBe('own')
})

test('proposes a pinned stream only if all are pinned', () => {
  const pinned = holder('pinned', 1, 0, true)
  expect(proposedToClose([pinned, holder('busy', 2, 40)])?.stream).toBe('busy')
  expect(proposedToClose([pinned])?.stream).toBe('pinned')
})

test('an unpinned one is proposed if there is one, whatever the order of the list', () => {
  const one = fc.tuple(fc.nat(5), fc.nat(3), fc.boolean())
  fc.assert(
    fc.property(fc.uniqueArray(one, { selector: ([openedAt]) => openedAt, minLength: 1 }), (all) => {
      const holders = all.map(([openedAt, use, pinned]) => holder(`s${openedAt}`, openedAt, use, pinned))
      const candidates = holders.some(({ pinned }) => !pinned)
        ? holders.filter(({ pinned }) => !pinned)
        : holders
      expect(candidates.map(({ stream }) => stream)).toContain(proposedToClose(holders)?.stream)
      expect(proposedToClose(holders.toReversed())).toEqual(proposedToClose(holders))
    }),
    { numRuns: 2_000 },
  )
})
