import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SLOT_QUOTAS } from '../../../app/service/categories.ts'
import { SlotLedger } from '../../../app/streams/slots.ts'
import { proves } from '../../proof/proves.ts'
import { lawRuns } from '../../thorough.ts'
import { chanceFrom } from '../quota/chance.ts'

const POSITIONS = 'Positions Stream'
const rowOf = (ledger: SlotLedger, category: string) => ledger.view().find((row) => row.category === category)

test('before anything happens every row of the table is there, free and by default', () => {
  const rows = new SlotLedger(SLOT_QUOTAS).view()
  expect(rows.map((row) => [row.category, row.limit])).toEqual(
    SLOT_QUOTAS.map((row) => [row.category, row.limit]),
  )
  for (const row of rows) {
    expect(row).toMatchObject({ own: 0, elsewhere: 0, free: row.limit, source: 'default' })
  }
})

test('an own stream takes a slot when requested and frees it when it ends', () => {
  const ledger = new SlotLedger(SLOT_QUOTAS)
  ledger.taken(POSITIONS)
  expect(rowOf(ledger, POSITIONS)).toMatchObject({ own: 1, free: 39, source: 'counted' })
  ledger.released(POSITIONS)
  ledger.released(POSITIONS)
  expect(rowOf(ledger, POSITIONS)).toMatchObject({ own: 0, free: 40, source: 'default' })
  expect(ledger.free(POSITIONS)).toBe(40)
})

test('slots counted by headers beyond our own streams are others’', () => {
  const ledger = new SlotLedger(SLOT_QUOTAS)
  ledger.taken(POSITIONS)
  ledger.observed(POSITIONS, { limit: 40, remaining: 34, resource: 'streaming-positions' }, 0, 5_000)
  expect(rowOf(ledger, POSITIONS)).toEqual({
    category: POSITIONS,
    resource: 'streaming-positions',
    limit: 40,
    own: 1,
    elsewhere: 5,
    free: 34,
    source: 'header',
    observedAt: 5_000,
  })
})

test('streams with a pending response do not count as others’', () => {
  const ledger = new SlotLedger(SLOT_QUOTAS)
  for (let stream = 0; stream < 3; stream += 1) ledger.taken(POSITIONS)
  for (const remaining of [39, 38, 37]) {
    ledger.observed(POSITIONS, { limit: 40, remaining }, 2, 0)
    expect(rowOf(ledger, POSITIONS)?.elsewhere).toBe(0)
  }
  ledger.observed(POSITIONS, { limit: 40, remaining: 36 }, 2, 0)
  expect(rowOf(ledger, POSITIONS)?.elsewhere).toBe(1)
})

test('keeps others’ slots while own openings may explain the difference', () => {
  const ledger = new SlotLedger(SLOT_QUOTAS)
  ledger.taken(POSITIONS)
  ledger.observed(POSITIONS, { limit: 40, remaining: 38 }, 0, 0)
  expect(rowOf(ledger, POSITIONS)?.elsewhere).toBe(1)
  ledger.taken(POSITIONS)
  ledger.taken(POSITIONS)
  // The service has not yet counted the last two streams.
  ledger.observed(POSITIONS, { limit: 40, remaining: 38 }, 2, 1)
  expect(rowOf(ledger, POSITIONS)).toMatchObject({ own: 3, elsewhere: 1, free: 36 })
})

test('frees others’ slots when a header shows it', () => {
  const ledger = new SlotLedger(SLOT_QUOTAS)
  ledger.taken(POSITIONS)
  ledger.observed(POSITIONS, { limit: 40, remaining: 0 }, 0, 0)
  expect(ledger.free(POSITIONS)).toBe(0)
  ledger.observed(POSITIONS, { limit: 40, remaining: 39 }, 0, 1)
  expect(rowOf(ledger, POSITIONS)).toMatchObject({ own: 1, elsewhere: 0, free: 39 })
})

test('a category without slots in the table shows none until a header names its limit, and then counts right', () => {
  const ledger = new SlotLedger(SLOT_QUOTAS)
  ledger.taken('Quote Change Stream')
  expect(rowOf(ledger, 'Quote Change Stream')).toBeUndefined()
  expect(ledger.free('Quote Change Stream')).toBeUndefined()
  ledger.observed('Quote Change Stream', { remaining: 3 }, 0, 0)
  expect(rowOf(ledger, 'Quote Change Stream')).toBeUndefined()
  ledger.observed('Quote Change Stream', { limit: 10, remaining: 9 }, 0, 0)
  expect(rowOf(ledger, 'Quote Change Stream')).toMatchObject({ own: 1, elsewhere: 0, free: 9 })
  ledger.released('Quote Change Stream')
  expect(ledger.free('Quote Change Stream')).toBe(10)
})

test('a header’s limit overrides the table, even below own use', () => {
  const ledger = new SlotLedger(SLOT_QUOTAS)
  for (let stream = 0; stream < 6; stream += 1) ledger.taken(POSITIONS)
  ledger.observed(POSITIONS, { limit: 4 }, 0, 0)
  expect(rowOf(ledger, POSITIONS)).toMatchObject({ limit: 4, own: 4, elsewhere: 0, free: 0 })
})

test('MarketDepth quotes and aggregates share one row', () => {
  const ledger = new SlotLedger(SLOT_QUOTAS)
  ledger.taken('MarketDepth Stream')
  ledger.taken('MarketDepth Stream')
  expect(rowOf(ledger, 'MarketDepth Stream')).toMatchObject({ own: 2, free: 8 })
})

test('own + elsewhere + free = limit, and none is negative, after any sequence of events', () => {
  const runs = lawRuns(5_000)
  const category = fc.constantFrom(POSITIONS, 'MarketDepth Stream', 'Quote Change Stream')
  const small = fc.option(fc.nat(45), { nil: undefined })
  const step = fc.tuple(fc.constantFrom('taken', 'released', 'observed'), category, small, small, fc.nat(3))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const ledger = new SlotLedger(SLOT_QUOTAS)
      for (const [what, name, limit, remaining, opening] of steps) {
        if (what === 'taken') ledger.taken(name)
        else if (what === 'released') ledger.released(name)
        else {
          const reading = {
            ...(limit !== undefined && limit > 0 && { limit }),
            ...(remaining !== undefined && { remaining }),
          }
          ledger.observed(name, reading, opening, 0)
        }
        for (const row of ledger.view()) {
          if (row.own + row.elsewhere + row.free !== row.limit) expect.fail(JSON.stringify(row))
          if (Math.min(row.own, row.elsewhere, row.free) < 0) expect.fail(JSON.stringify(row))
          expect(ledger.free(row.category)).toBe(row.free)
        }
      }
    }),
    { numRuns: runs },
  )
  proves('S4', { level: 2, cases: runs })
})

test('after a day of churn against a service that counts, no slot has leaked', () => {
  let minutes = 0
  for (let seed = 0; seed < 20; seed += 1) {
    const chance = chanceFrom(seed)
    const ledger = new SlotLedger(SLOT_QUOTAS)
    let own = 0
    let others = 0
    for (let minute = 0; minute < 1_440; minute += 1, minutes += 1) {
      others = Math.max(0, Math.min(20, 40 - own, others + Math.floor(chance() * 3) - 1))
      if (chance() < 0.5 && own > 0) {
        own -= 1
        ledger.released(POSITIONS)
      } else {
        ledger.taken(POSITIONS)
        const isRefused = own + others >= 40
        if (!isRefused) own += 1
        else ledger.released(POSITIONS)
        ledger.observed(POSITIONS, { limit: 40, remaining: 40 - own - others }, 0, minute)
        expect(rowOf(ledger, POSITIONS)).toMatchObject({ own, elsewhere: others, free: 40 - own - others })
      }
    }
    for (; own > 0; own -= 1) ledger.released(POSITIONS)
    ledger.observed(POSITIONS, { limit: 40, remaining: 40 }, 0, 0)
    expect(rowOf(ledger, POSITIONS)).toMatchObject({ own: 0, elsewhere: 0, free: 40 })
  }
  proves('S4', { level: 2, cases: minutes })
})

test('a just released slot that the service still counts does not count as others’', () => {
  const ledger = new SlotLedger(SLOT_QUOTAS)
  ledger.taken(POSITIONS)
  ledger.taken(POSITIONS)
  ledger.released(POSITIONS, 10_000)
  expect([ledger.justReleased(POSITIONS, 14_999), ledger.justReleased(POSITIONS, 15_000)]).toEqual([1, 0])
  ledger.observed(POSITIONS, { limit: 40, remaining: 38 }, 0, 14_999)
  expect(rowOf(ledger, POSITIONS)).toMatchObject({ own: 1, elsewhere: 0, free: 39 })
  ledger.observed(POSITIONS, { limit: 40, remaining: 38 }, 0, 15_000)
  expect(rowOf(ledger, POSITIONS)).toMatchObject({ own: 1, elsewhere: 1, free: 38 })
})
