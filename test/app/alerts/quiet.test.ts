import '../../renderer/utc.ts'
import { afterEach, expect, test } from 'vitest'
import { isAnnouncedElsewhere, mayAnnounce } from '../../../app/alerts/quiet.ts'
import { type AlertPreferences, alertPreferences } from '../../../app/contract/alerts.ts'
import { showTimesIn } from '../../../app/status/moments.ts'
import { exampleDesk } from '../../main/hosts/terminal/example-snapshot.ts'

afterEach(() => showTimesIn('local'))

const at = (time: string) => Date.parse(`2026-03-13T${time}Z`)
const night: AlertPreferences = { quietHours: { from: '22:00', to: '07:00' }, urgentBypass: true }

test.each([
  ['21:59:59', true],
  ['22:00:00', false],
  ['00:00:00', false],
  ['06:59:59', false],
  ['07:00:00', true],
])('with quiet hours past midnight a warning at %s is announced: %s', (time, announced) => {
  expect(mayAnnounce(night, 'warning', at(time))).toBe(announced)
})

test.each([
  ['11:59:59', true],
  ['12:00:00', false],
  ['13:00:00', true],
])('with quiet hours at noon a warning at %s is announced: %s', (time, announced) => {
  const noon = { quietHours: { from: '12:00', to: '13:00' }, urgentBypass: true }
  expect(mayAnnounce(noon, 'warning', at(time))).toBe(announced)
})

test('critical alerts ignore quiet hours and a snooze unless that is turned off', () => {
  const snoozed = { snoozedUntil: at('15:00:00'), urgentBypass: true }
  expect(mayAnnounce(night, 'critical', at('23:00:00'))).toBe(true)
  expect(mayAnnounce({ ...night, urgentBypass: false }, 'critical', at('23:00:00'))).toBe(false)
  expect(mayAnnounce(snoozed, 'critical', at('14:59:59'))).toBe(true)
  expect(mayAnnounce({ ...snoozed, urgentBypass: false }, 'critical', at('14:59:59'))).toBe(false)
})

test('a snooze ends at its moment', () => {
  const snoozed = { snoozedUntil: at('15:00:00'), urgentBypass: true }
  expect(mayAnnounce(snoozed, 'warning', at('15:00:00') - 1)).toBe(false)
  expect(mayAnnounce(snoozed, 'warning', at('15:00:00'))).toBe(true)
})

test('announces everything by default', () => {
  expect(mayAnnounce({ urgentBypass: true }, 'ok', at('03:00:00'))).toBe(true)
})

test.each(['24:00', '7:00', '07:60', '', '07:00:00'])('rejects %j as a time of day', (from) => {
  expect(() => alertPreferences.parse({ quietHours: { from, to: '08:00' }, urgentBypass: true })).toThrow()
})

test('quiet hours use the displayed time zone', () => {
  showTimesIn('exchange')
  // 22:00 in New York.
  expect(mayAnnounce(night, 'warning', Date.parse('2026-03-14T01:59:59Z'))).toBe(true)
  expect(mayAnnounce(night, 'warning', Date.parse('2026-03-14T02:00:00Z'))).toBe(false)
})

test('an alert of a quota or of slots is announced by one machine of the desk', () => {
  for (const kind of ['rate-limited', 'slots-full', 'capacity-back']) {
    expect(isAnnouncedElsewhere(kind, exampleDesk('b'))).toBe(true)
    expect(isAnnouncedElsewhere(kind, exampleDesk('a'))).toBe(false)
    expect(isAnnouncedElsewhere(kind, undefined)).toBe(false)
  }
})

test('an alert of this machine alone, and any alert of a machine without its desk, is announced here', () => {
  for (const kind of ['history-paused', 'signed-out', 'service-unreachable'])
    expect(isAnnouncedElsewhere(kind, exampleDesk('b'))).toBe(false)
  expect(isAnnouncedElsewhere('rate-limited', exampleDesk('b', { state: 'alone' }))).toBe(false)
})
