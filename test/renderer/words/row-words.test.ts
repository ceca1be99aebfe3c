import '../utc.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rateText, shareText } from '../../../app/status/rates.ts'
import {
  ageWords,
  fullWords,
  isStale,
  nextWords,
  remainingWords,
  rowSeverity,
  verdictWords,
} from '../../../renderer/words/row-words.ts'
import { defaultQuota, NOW_MS, quota } from '../fixtures.ts'

const positions = (more = {}) => quota('Positions', 320, 300, 38, more)

describe('a row of the capacity table', () => {
  it('says a number of the standard table as default, never as live', () => {
    const row = defaultQuota('Barchart Stream', 500, 300)
    expect(remainingWords(row, 500, NOW_MS)).toBe('500')
    expect(ageWords(row, NOW_MS)).toBe('default')
    expect(verdictWords(row, NOW_MS)).toBe('not seen')
    expect(nextWords(row, 500, NOW_MS)).toBe('—')
    expect(rowSeverity(row, NOW_MS)).toBe('unseen')
  })

  it('is live up to two minutes after its header, and stale after', () => {
    const row = positions()
    expect(isStale(row, NOW_MS + 120_000)).toBe(false)
    expect(ageWords(row, NOW_MS + 119_000)).toBe('1 min 59 s')
    expect(isStale(row, NOW_MS + 120_001)).toBe(true)
    expect(remainingWords(row, 294.7, NOW_MS + 240_000)).toBe('~294')
    expect(ageWords(row, NOW_MS + 240_000)).toBe('seen 4 min ago')
    expect(rowSeverity(row, NOW_MS + 240_000)).toBe('unseen')
  })

  it('shows a hold as a fact until it ends, however old its header', () => {
    const row = positions({ verdict: 'blocked', blockedUntil: NOW_MS + 300_000 })
    expect(verdictWords(row, NOW_MS + 200_000)).toBe('held to 14:36:05')
    expect(isStale(row, NOW_MS + 200_000)).toBe(false)
    expect(rowSeverity(row, NOW_MS + 200_000)).toBe('critical')
  })

  it.each([
    ['lasts', 'lasts', 'ok'],
    ['idle', 'idle', 'ok'],
    ['near-limit', 'near limit', 'watch'],
  ] as const)('says %s as "%s"', (verdict, words, severity) => {
    expect(verdictWords(positions({ verdict }), NOW_MS)).toBe(words)
    expect(rowSeverity(positions({ verdict }), NOW_MS)).toBe(severity)
  })

  it('counts down to when it runs out', () => {
    const row = positions({ verdict: 'runs-out', emptyAt: NOW_MS + 114_000 })
    expect(verdictWords(row, NOW_MS)).toBe('runs out 1 min 54 s')
    expect(verdictWords(row, NOW_MS + 1000)).toBe('runs out 1 min 53 s')
    expect(verdictWords(row, NOW_MS + 200_000)).toBe('runs out 0 s')
  })

  it('goes on returning one request each period / limit after the last known one', () => {
    const row = positions({ nextAt: NOW_MS + 900 })
    expect(nextWords(row, 38, NOW_MS)).toBe('0.9 s')
    expect(nextWords(row, 38, NOW_MS + 901)).toBe('1.0 s')
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_600_000 }), (laterMs) => {
        const seconds = Number.parseFloat(nextWords(row, 38, NOW_MS + laterMs))
        expect(seconds).toBeGreaterThan(0)
        expect(seconds).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('has nothing to wait for when it is full', () => {
    const row = positions({ nextAt: NOW_MS + 900, fullAt: NOW_MS + 5000 })
    expect(nextWords(row, 320, NOW_MS)).toBe('—')
    expect(fullWords(row, 320, NOW_MS)).toBe('full')
    expect(fullWords(row, 319.9, NOW_MS)).toBe('14:31:10')
    expect(fullWords(row, 319.9, NOW_MS + 5000)).toBe('full')
  })
})

describe('rates', () => {
  it('shows a dash below 0.05 a second and for what is not known', () => {
    expect(rateText(0.049)).toBe('—')
    expect(rateText(0.05)).toBe('0.1/s')
    expect(rateText(1)).toBe('1.0/s')
    expect(rateText(9.94)).toBe('9.9/s')
    expect(rateText(38.2)).toBe('38/s')
    expect(rateText(undefined)).toBe('—')
    expect(rateText(Number.NaN)).toBe('—')
  })

  it('says shares in per cent', () => {
    expect(shareText(0.006)).toBe('0.6 %')
    expect(shareText(0.12)).toBe('12 %')
  })
})
