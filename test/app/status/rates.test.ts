import { describe, expect, it } from 'vitest'
import { rateRangeText, rateText, shareText } from '../../../app/status/rates.ts'

describe('rates', () => {
  it('shows a dash below 0.05 a second and for an unknown rate', () => {
    expect(rateText(0.049)).toBe('—')
    expect(rateText(0.05)).toBe('0.1/s')
    expect(rateText(1)).toBe('1.0/s')
    expect(rateText(9.94)).toBe('9.9/s')
    expect(rateText(38.2)).toBe('38/s')
    expect(rateText(undefined)).toBe('—')
    expect(rateText(Number.NaN)).toBe('—')
  })

  it('shows shares in per cent', () => {
    expect(shareText(0.006)).toBe('0.6 %')
    expect(shareText(0.12)).toBe('12 %')
  })

  it('shows an uncertain rate as an interval', () => {
    expect(rateRangeText(1.24, 1.31)).toBe('1.2–1.3')
    expect(rateRangeText(0.98, 1.02)).toBe('1.0')
    expect(rateRangeText(0, 0.3)).toBe('0–0.3')
    expect(rateRangeText(0, 0.04)).toBe('0')
    expect(rateRangeText(4, 12.3)).toBe('4.0–12')
  })
})
