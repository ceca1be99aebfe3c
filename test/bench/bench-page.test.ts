import { expect, test } from 'vitest'
import type { Origin } from '../proof/commit.ts'
import { benchPage } from './bench-page.ts'
import { type Circumstances, failedEntry, measuredEntry, parseEntries } from './entry.ts'
import { type BenchResult, ratioOf, ratiosOf } from './result.ts'

const ORIGIN: Origin = { commit: 'abcdef0123', isClean: true, date: '2026-11-20T10:00:00.000Z' }
const AROUND: Circumstances = { ...ORIGIN, machine: 'A processor, 2 cores', loadBefore: 0.1, seconds: 9.4 }
const RESULT: BenchResult = {
  what: 'Frames',
  unit: 'MB a second',
  better: 'more',
  ours: 1_000,
  peers: { quick: 200, slow: 50 },
  details: { frames: 12_345 },
  aims: [{ what: '5 times quick', isMet: true }],
  how: 'All get the same bytes.',
}

test('the ratio is to the best peer, whether more is better or less', () => {
  expect(ratiosOf(RESULT)).toEqual({ quick: 5, slow: 20 })
  expect(ratioOf(RESULT)).toBe(5)
  expect(ratioOf({ ...RESULT, better: 'less' })).toBe(0.05)
  expect(ratioOf({ ...RESULT, peers: {} })).toBeNull()
})

test('a bench is listed next to its best alternative, with the factor between them', () => {
  const page = benchPage(new Map([['framing', measuredEntry(RESULT, AROUND)]]), ORIGIN)
  expect(page).toContain('| 1,000 MB a second | 200 (quick) | 5 | met |')
  expect(page).toContain('- frames: 12,345')
  expect(page).toContain('- machine: A processor, 2 cores')
  expect(page).not.toContain('busy')
})

test('a bench that was not run, could not be measured or missed its aim is marked', () => {
  const missed = { ...RESULT, aims: [{ what: '9 times quick', isMet: false }] }
  const page = benchPage(
    new Map([
      ['framing', measuredEntry(missed, AROUND)],
      ['start', failedEntry('Error: no Chromium on this machine', AROUND)],
    ]),
    ORIGIN,
  )
  expect(page).toContain('| **1 missed** |')
  expect(page).toContain('- aim: 9 times quick: **missed**')
  expect(page).toContain('**not measured**: Error: no Chromium on this machine')
  expect(page).toMatch(/history\) \| not run \|/)
})

test('a result of another commit than the last one counts as not run', () => {
  const before = { ...AROUND, commit: '0123456789', date: '2026-11-19T10:00:00.000Z' }
  const entries = new Map([
    ['framing', measuredEntry(RESULT, AROUND)],
    ['history', measuredEntry(RESULT, before)],
  ] as const)
  const page = benchPage(entries, ORIGIN)
  expect(page).toContain('- run: commit `abcdef0123`')
  expect(page).toMatch(/history\) \| not run \|/)
  expect(page).not.toContain(before.commit)
})

test('results of a busy machine are marked', () => {
  const busy = measuredEntry(RESULT, { ...AROUND, loadBefore: 3.2 })
  expect(benchPage(new Map([['framing', busy]]), ORIGIN)).toContain('**The machine was busy**: 3.2 programs')
})

test('the output of one run is read by the next, and unknown benches are skipped', () => {
  const entry = measuredEntry(RESULT, AROUND)
  const failed = failedEntry('no Chromium', AROUND)
  const printed = JSON.stringify({ machine: 'x', ...ORIGIN, framing: entry, start: failed, other: 1 })
  expect([...parseEntries(printed)]).toEqual([
    ['framing', entry],
    ['start', failed],
  ])
  expect(() => parseEntries('{"framing":{"ours":3}}')).toThrow()
})
