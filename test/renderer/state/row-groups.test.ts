import { describe, expect, test } from 'vitest'
import {
  AS_DELIVERED,
  hideToggled,
  movedBy,
  movedTo,
  pinToggled,
  type RowArrangement,
  rowGroups,
  rowsOf,
  storedArrangement,
} from '../../../renderer/state/row-groups.ts'
import { defaultQuota, NOW_MS, quota, REQUESTS } from '../fixtures.ts'

const CLOSED = { open: [], chosen: undefined }
const groupsOf = (arrangement: RowArrangement = AS_DELIVERED, view = CLOSED) =>
  rowGroups({ requests: REQUESTS }, arrangement, view)
const named = (arrangement?: RowArrangement) => groupsOf(arrangement).map(({ name, rows }) => [name, ...rows])

describe('the groups of the table', () => {
  test('are REST, options and stream opens, with unseen rows folded under a count', () => {
    expect(named()).toEqual([
      ['REST', 'Accounts', 'Order Details', 'Balances', 'Positions', 'Quote Snapshot'],
      ['Options', 'Option Expirations', 'Option Strikes'],
      ['Stream opens', 'Quote Change Stream', 'MarketDepth Stream'],
    ])
    expect(groupsOf().map(({ window, unseen }) => [window, unseen])).toEqual([
      ['5 min window', 0],
      ['1 min window', 2],
      ['1 min and 5 min windows', 2],
    ])
  })
  test('open to their unseen rows, and always show a chosen one', () => {
    const open = rowGroups({ requests: REQUESTS }, AS_DELIVERED, { open: ['options'], chosen: undefined })
    expect(open[1]?.rows).toContain('Option Spread Types')
    const chosen = rowGroups({ requests: REQUESTS }, AS_DELIVERED, { open: [], chosen: 'Barchart Stream' })
    expect(chosen[2]?.rows).toEqual(['Quote Change Stream', 'Barchart Stream', 'MarketDepth Stream'])
  })
  test('fold nothing before anything was observed, and no row that is about to be checked or was rejected', () => {
    const none = [defaultQuota('Accounts', 320, 300), defaultQuota('Balances', 320, 300)]
    expect(rowsOf(rowGroups({ requests: none }, AS_DELIVERED, CLOSED))).toHaveLength(2)
    const problem = { status: 403, message: 'no', since: NOW_MS }
    const some = [
      quota('Accounts', 320, 300, 100),
      { ...defaultQuota('Balances', 320, 300), nextCheckAt: NOW_MS + 1000 },
      { ...defaultQuota('Positions', 320, 300), problem },
      defaultQuota('Order Details', 320, 300),
    ]
    expect(rowsOf(rowGroups({ requests: some }, AS_DELIVERED, CLOSED))).toEqual([
      'Accounts',
      'Balances',
      'Positions',
    ])
  })
})

describe('a custom arrangement', () => {
  test('moves a row among the shown ones, within its group only', () => {
    const up = movedBy(REQUESTS, AS_DELIVERED, { groups: groupsOf(), category: 'Balances', by: -1 })
    expect(groupsOf(up)[0]?.rows.slice(0, 3)).toEqual(['Accounts', 'Balances', 'Order Details'])
    const first = movedBy(REQUESTS, AS_DELIVERED, { groups: groupsOf(), category: 'Accounts', by: -1 })
    expect(first).toBe(AS_DELIVERED)
    const down = movedBy(REQUESTS, AS_DELIVERED, {
      groups: groupsOf(),
      category: 'Quote Change Stream',
      by: 1,
    })
    expect(groupsOf(down)[2]?.rows).toEqual(['MarketDepth Stream', 'Quote Change Stream'])
    expect(movedTo(REQUESTS, AS_DELIVERED, 'Balances', 'Option Strikes')).toBe(AS_DELIVERED)
  })
  test('pins rows above all groups and hides others, and both are undone', () => {
    const pinned = pinToggled(AS_DELIVERED, 'Option Strikes')
    expect(named(pinned)[0]).toEqual(['Pinned', 'Option Strikes'])
    expect(pinToggled(pinned, 'Option Strikes')).toEqual(AS_DELIVERED)
    const hidden = hideToggled(AS_DELIVERED, 'Accounts')
    expect(named(hidden)[0]).not.toContain('Accounts')
    expect(hideToggled(hidden, 'Accounts')).toEqual(AS_DELIVERED)
    // A hidden row is shown if an alert leads to it.
    const chosen = rowGroups({ requests: REQUESTS }, hidden, { open: [], chosen: 'Accounts' })
    expect(chosen[0]?.rows[0]).toBe('Accounts')
  })
  test('keeps missing rows, and appends new ones', () => {
    const order = ['Quote Snapshot', 'Gone', 'Balances']
    expect(groupsOf({ ...AS_DELIVERED, order })[0]?.rows).toEqual([
      'Quote Snapshot',
      'Balances',
      'Accounts',
      'Order Details',
      'Positions',
    ])
  })
  test('is restored from storage, and is the default for an invalid text', () => {
    const kept = { order: ['A'], hidden: ['B'], pinned: ['C'] }
    expect(storedArrangement(JSON.stringify(kept))).toEqual(kept)
    for (const text of [null, '', 'null', '{', '[1]', '{"order":7,"hidden":[1]}']) {
      expect(storedArrangement(text)).toEqual(AS_DELIVERED)
    }
  })
})
