import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  percentOf,
  storageText,
  thresholdFrom,
  withChosen,
} from '../../../renderer/settings/settings-text.ts'

it('parses the share that it shows', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), (tenths) => {
      const value = expect.closeTo(tenths / 1000, 9)
      expect(thresholdFrom(percentOf(tenths / 1000))).toEqual({ ok: true, value })
    }),
  )
})

it('accepts only shares, and an empty field as the default', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const share = thresholdFrom(text)
      if (share.ok && share.value !== undefined) expect(share.value >= 0 && share.value <= 1).toBe(true)
    }),
  )
  expect(thresholdFrom(' ')).toEqual({ ok: true, value: undefined })
  expect(['0', '100'].map(thresholdFrom)).toMatchObject([{ value: 0 }, { value: 1 }])
  for (const text of ['-1', '100.1', '150', 'many'])
    expect(thresholdFrom(text)).toEqual({ ok: false, error: 'Enter a number from 0 to 100.' })
})

it('offers the current value among the usual retention times', () => {
  expect(withChosen([1, 3], 2)).toEqual([1, 2, 3])
  expect(withChosen([1, 3], 3)).toEqual([1, 3])
})

it('describes the history', () => {
  expect(storageText({ kind: 'memory' })).toContain('until Headroom quits')
  expect(
    storageText({ kind: 'ok', bytes: 12_582_912, rawMs: 47 * 3_600_000, rollupMs: 90 * 86_400_000 }),
  ).toBe(
    'Saved: every sample for 47 hours, one-minute summaries and events for 90 days. Now 12.0 MB in use on this computer.',
  )
  expect(storageText({ kind: 'failing', failure: 'the disk is full', waiting: 1, lost: 2 })).toBe(
    'Can’t save the history: the disk is full. 1 entry waits. 2 entries were lost.',
  )
})
