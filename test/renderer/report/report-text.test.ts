import '../utc.ts'
import { expect, it } from 'vitest'
import {
  countOrDash,
  happenings,
  knownText,
  lowestText,
  nearText,
  programsLine,
  reportStart,
} from '../../../renderer/report/report-text.ts'
import { NOW_MS } from '../fixtures.ts'
import { REPORT } from '../harness/memory-fixtures.ts'

const row = {
  category: 'A',
  limit: 320,
  own: 1,
  elsewhere: 0,
  rejected: 0,
  lowest: 12.7,
  nearMs: 61_000,
  knownMs: 0,
}

it('shows a dash for an unknown number, and the number once it was known', () => {
  expect([lowestText(row), nearText(row)]).toEqual(['—', '—'])
  const known = { ...row, knownMs: 1 }
  expect([lowestText(known), nearText(known)]).toEqual(['12 / 320', '1 min 1 s'])
  expect([countOrDash(0), countOrDash(7)]).toEqual(['—', '7'])
})

it('shows for how long the level was known', () => {
  expect(knownText({ ...row, knownMs: 58 * 60_000 })).toBe('58 min 0 s')
  expect(knownText(row)).toBe('—')
})

it('omits what did not happen', () => {
  expect(happenings(REPORT)).toBe(
    '12 token refreshes, 1 failed refresh, 3 streams opened and 1 stream restart.',
  )
  const quiet = {
    ...REPORT,
    tokens: { refreshed: 0, failed: 0, signInRequired: 0 },
    streams: { opened: 0, restarted: 0, closed: 0 },
  }
  expect(happenings(quiet)).toBe('Nothing else happened.')
})

it('begins today at midnight and other ranges their length ago', () => {
  expect(reportStart('today', NOW_MS)).toBe(Date.UTC(2026, 2, 13))
  expect(NOW_MS - reportStart('7 d', NOW_MS)).toBe(7 * 86_400_000)
})

it('shows each program’s requests, and the rest of own requests as Headroom’s', () => {
  const programs = [
    { program: 'bot', requests: 120 },
    { program: 'notes', requests: 4 },
  ]
  expect(programsLine({ ...row, own: 140, programs })).toBe('bot 120, notes 4, Headroom 16')
  expect(programsLine({ ...row, own: 124, programs })).toBe('bot 120, notes 4')
})
