import '../../renderer/utc.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { headline } from '../../../app/conditions/key-status.ts'
import {
  clockText,
  dayAndMinuteText,
  hourOfToday,
  minuteOfDay,
  minuteText,
  showTimesIn,
  startOfToday,
  weekdayText,
  zonedClockText,
} from '../../../app/status/moments.ts'
import { NOW_MS, snapshot } from '../../renderer/fixtures.ts'

afterEach(() => showTimesIn('local'))

/** A Saturday, 00:30 in UTC: Friday evening in New York, before and after daylight saving time begins. */
const WINTER_MS = Date.UTC(2026, 0, 10, 0, 30, 5)
const SUMMER_MS = Date.UTC(2026, 6, 11, 0, 30, 5)

describe('the zone of all times', () => {
  it('is the computer’s own until another is chosen', () => {
    expect([clockText(WINTER_MS), zonedClockText(WINTER_MS)]).toEqual(['00:30:05', '00:30:05'])
  })

  it('is the exchange’s in winter and in summer', () => {
    showTimesIn('exchange')
    expect([zonedClockText(WINTER_MS), weekdayText(WINTER_MS)]).toEqual(['19:30:05 ET', 'Fri 19:30'])
    expect([minuteText(SUMMER_MS), weekdayText(SUMMER_MS)]).toEqual(['20:30', 'Fri 20:30'])
    // The day is that of the zone: both are Friday the 9th in New York.
    expect(dayAndMinuteText(WINTER_MS, WINTER_MS - 10 * 3_600_000)).toBe('19:30')
    expect(dayAndMinuteText(WINTER_MS, WINTER_MS + 30 * 86_400_000)).toBe('2026-01-09 19:30')
  })

  it('is UTC if that was chosen', () => {
    showTimesIn('utc')
    expect(zonedClockText(WINTER_MS)).toBe('00:30:05 UTC')
  })

  it('applies in sentences too', () => {
    const blocked = snapshot({
      refresh: { ...snapshot().refresh, state: 'revoked', revokedAt: NOW_MS },
    })
    expect(headline(blocked, NOW_MS).headline).toBe('Revoked at 14:31.')
    showTimesIn('exchange')
    expect(headline(blocked, NOW_MS).headline).toBe('Revoked at 10:31.')
  })
})

describe('the day of a zone', () => {
  it('begins at its own midnight', () => {
    expect(startOfToday(WINTER_MS)).toBe(Date.UTC(2026, 0, 10))
    showTimesIn('exchange')
    expect(startOfToday(WINTER_MS)).toBe(Date.UTC(2026, 0, 9, 5))
    expect(startOfToday(SUMMER_MS + 250)).toBe(Date.UTC(2026, 6, 10, 4))
    expect(minuteOfDay(SUMMER_MS)).toBe(20 * 60 + 30)
    showTimesIn('utc')
    expect(startOfToday(WINTER_MS)).toBe(Date.UTC(2026, 0, 10))
    expect(startOfToday(Date.UTC(2026, 0, 10))).toBe(Date.UTC(2026, 0, 10))
  })

  it('has its hours, even on a day on which the clock changes', () => {
    showTimesIn('exchange')
    // In New York, clocks go forward at 02:00 on 8 March 2026.
    const evening = Date.UTC(2026, 2, 9, 1)
    expect(startOfToday(evening)).toBe(Date.UTC(2026, 2, 8, 5))
    expect(hourOfToday(evening, 16)).toBe(Date.UTC(2026, 2, 8, 20))
    expect(hourOfToday(Date.UTC(2026, 2, 8, 6), 16)).toBe(Date.UTC(2026, 2, 8, 20))
    // In New York, clocks go back at 02:00 on 1 November 2026.
    expect(startOfToday(Date.UTC(2026, 10, 2, 1))).toBe(Date.UTC(2026, 10, 1, 4))
    expect(hourOfToday(Date.UTC(2026, 10, 1, 4, 30), 16)).toBe(Date.UTC(2026, 10, 1, 21))
  })
})
