import {
  safeSentence,
  stateSentence,
  usageLine,
  usageSentence,
} from '../../../app/conditions/messages/rows.ts'
import '../../renderer/utc.ts'
import { describe, expect, it } from 'vitest'
import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import { allowanceOf, safePaceText, whatIfText } from '../../../app/status/allowance.ts'
import { OUTDATED_AFTER_MS } from '../../../app/status/durations.ts'
import {
  ageText,
  deskText,
  emptyText,
  fullText,
  leftText,
  nextCheckText,
  othersText,
  ownText,
  quotaStatus,
  rowNote,
  shareLeftText,
  surelyUsesWholeRefill,
} from '../../../app/status/quota-status.ts'
import { DESK, DESK_ALONE, defaultQuota, NOW_MS, quota, snapshot } from '../../renderer/fixtures.ts'

const positions = (more: Partial<RequestQuota> = {}) => quota('Positions', 320, 300, 54, more)
/** A quota that will be empty in `seconds`, give or take 30 s. */
const out = (seconds: number, more: Partial<RequestQuota> = {}) => {
  const at = (later: number) => NOW_MS + (seconds + later) * 1000
  return positions({
    state: 'running-out',
    emptyAt: at(0),
    emptyFrom: at(-30),
    emptyTo: at(30),
    ...more,
  })
}

it('the share left is the lower bound, or a range', () => {
  const share = (low: number, high: number, limit = 320) => shareLeftText({ low, high, limit })
  expect(share(54, 57)).toBe('16–17 %')
  expect(share(54, 54)).toBe('16 %')
  expect(share(54, 87)).toBe('16–27 %')
  expect(share(0, 69)).toBe('0–21 %')
  expect(share(320, 320)).toBe('100 %')
  expect(share(0, 0, 0)).toBe('0 %')
})

describe('the state of a quota', () => {
  it.each([
    [positions({ state: 'ok' }), 'ok', 'ok', ''],
    [positions({ state: 'low' }), 'warning', 'low', '16 %'],
    [out(214), 'warning', 'running out', '14:34–14:35'],
    [out(121), 'warning', 'running out', '14:32–14:33'],
    [out(120), 'critical', 'running out', '14:32–14:33'],
    [out(25), 'critical', 'running out', 'by 14:32'],
    [out(214, { state: 'watch' }), 'watch', 'watch', 'as early as 14:34'],
    [positions({ state: 'watch' }), 'watch', 'watch', 'within 10 min'],
    [positions({ state: 'empty' }), 'critical', 'empty', ''],
    [positions({ state: 'blocked', blockedUntil: NOW_MS + 40_000 }), 'critical', '429', '40 s'],
    [positions({ state: 'blocked', blockedUntil: NOW_MS - 1 }), 'critical', '429', 'now'],
    [positions({ state: 'blocked', nextTryAt: NOW_MS + 1 }), 'critical', '429', 'until others slow down'],
    [positions({ state: 'not-checked' }), 'unknown', 'not checked', ''],
  ] as const)('%# has one severity, label and note', (row, severity, label, note) => {
    expect(quotaStatus(row, NOW_MS)).toMatchObject({ severity, label, note })
  })

  it.each([
    ['by tries that keep meeting 429', { nextTryAt: NOW_MS + 20_000 }],
    ['by measurement', { use: { total: 1.2, own: 0, elsewhere: 1.2 }, blockedUntil: NOW_MS + 240_000 }],
  ])('shows no countdown while others use the whole refill', (_, known) => {
    const row = positions({ state: 'blocked', ...known })
    expect(quotaStatus(row, NOW_MS).untilMs).toBeUndefined()
    expect(stateSentence(row, NOW_MS)).toBe('Positions: calls get 429 until others slow down.')
    expect(safePaceText(row, NOW_MS)).toBe('none')
    expect(safeSentence(row, NOW_MS)).toBe('')
  })

  it('shows one range for its end, including whether it may last', () => {
    expect(emptyText(out(85), NOW_MS)).toBe('14:32–14:33')
    expect(emptyText(out(80), NOW_MS)).toBe('14:31–14:32')
    const within = out(145, { emptyTo: NOW_MS + 150_000 })
    expect(emptyText(within, NOW_MS)).toBe('14:33')
    expect(stateSentence(within, NOW_MS)).toBe('Positions runs out at 14:33.')
    expect(stateSentence(out(214), NOW_MS)).toBe('Positions runs out 14:34–14:35.')
    const { emptyTo: _, ...mayLast } = out(214)
    expect(emptyText(mayLast, NOW_MS)).toBe('14:34 or later')
    expect(stateSentence(mayLast, NOW_MS)).toBe('Positions runs out at 14:34 or later.')
    expect(emptyText(positions({ state: 'running-out' }), NOW_MS)).toBe('within 10 min')
    // A row from an earlier version has only the middle of the range.
    expect(emptyText(positions({ state: 'running-out', emptyAt: NOW_MS + 60_000 }), NOW_MS)).toBe('14:32')
  })

  it('is unchecked if the pushing process has stopped, whatever the last push', () => {
    const later = NOW_MS + OUTDATED_AFTER_MS + 1
    for (const state of ['ok', 'low', 'running-out', 'empty'] as const) {
      expect(quotaStatus(positions({ state }), later)).toMatchObject({
        state: 'not-checked',
        severity: 'unknown',
      })
      expect(quotaStatus(positions({ state }), later - 1).state).toBe(state)
    }
    const refused = positions({ state: 'blocked', blockedUntil: later + 5_000 })
    expect(quotaStatus(refused, later).label).toBe('429')
    expect(quotaStatus(refused, later + 5_000).state).toBe('not-checked')
  })
})

describe('the number', () => {
  it('is the midpoint, or a range if uncertain by more than a tenth of the limit', () => {
    expect(leftText(positions({ low: 40, high: 72 }), NOW_MS)).toBe('54')
    expect(leftText(positions({ low: 39, high: 72 }), NOW_MS)).toBe('39–72')
  })

  it('is marked once its header is old, and a dash without a header', () => {
    const row = positions({ low: 20, high: 95 })
    const pushed = { ...row, asOf: NOW_MS + 120_000 }
    expect(leftText(pushed, NOW_MS + 120_000)).toBe('20–95')
    expect(leftText(pushed, NOW_MS + 120_001)).toBe('~20–95')
    expect(ageText(row, NOW_MS + 119_000)).toBe('119 s')
    expect(ageText(row, NOW_MS + 240_000)).toBe('4 min ago')
    const unseen = defaultQuota('Barchart Stream', 500, 300)
    expect([leftText(unseen, NOW_MS), ageText(unseen, NOW_MS)]).toEqual(['–', 'documented'])
  })

  it('shows when it is full and when it is checked next', () => {
    const row = positions({ fullAt: NOW_MS + 5000, nextCheckAt: NOW_MS + 12_000 })
    expect(fullText(row, NOW_MS)).toBe('14:31:10')
    expect(fullText(row, NOW_MS, 'countdown')).toBe('5 s')
    expect(fullText({ ...row, remaining: 320 }, NOW_MS)).toBe('full')
    expect(fullText({ ...row, remaining: 320, low: 281, high: 320 }, NOW_MS)).toBe('?')
    expect(fullText({ ...row, state: 'not-checked' }, NOW_MS)).toBe('–')
    expect(fullText({ ...row, emptyAt: NOW_MS + 60_000 }, NOW_MS)).toBe('–')
    expect(nextCheckText(row, NOW_MS)).toBe('12 s')
    expect(nextCheckText(row, NOW_MS + 12_000)).toBe('now')
    const late = (seconds: number) =>
      nextCheckText(positions({ nextCheckAt: NOW_MS + seconds * 1000 }), NOW_MS)
    expect([late(60), late(61), late(250)]).toEqual(['1 min', '2 min', '5 min'])
    expect(nextCheckText(positions(), NOW_MS)).toBe('')
  })
})

describe('a row that is not checked', () => {
  const row = positions({
    state: 'not-checked',
    seen: 214,
    observedAt: NOW_MS - 29 * 60_000,
    use: { total: 1, own: 0.4, elsewhere: 0.6 },
    safe: { everySeconds: 1.2, burst: 226 },
    fullAt: NOW_MS + 5000,
  })
  const answered = (status: number) => positions({ ...row, problem: { status, since: NOW_MS - 9 * 60_000 } })

  it('shows its last number and its age, without use, pace or end', () => {
    expect(leftText(row, NOW_MS)).toBe('was 214')
    expect(ageText(row, NOW_MS)).toBe('29 min ago')
    expect([ownText(row), othersText(row), fullText(row, NOW_MS)]).toEqual(['–', '–', '–'])
    expect(usageSentence(row, NOW_MS)).toBe('')
  })

  it.each([
    ['valid', row, 'last header 14:02'],
    ['sign-in-required', row, 'paused until sign-in'],
    ['revoked', row, 'signed out here'],
    ['revoke-unconfirmed', row, 'signed out here'],
    ['valid', answered(401), 'calls get 401'],
    ['valid', answered(403), 'needs ReadAccount'],
    ['valid', answered(503), 'calls get 503'],
    ['valid', answered(404), 'checks get 404'],
    ['valid', answered(200), 'no headers since 14:22'],
    ['valid', defaultQuota('Positions', 320, 300), ''],
  ] as const)('%# shows why nothing may be sent', (refresh, one, text) => {
    const key = snapshot()
    const standing = { ...key, refresh: { ...key.refresh, state: refresh } }
    expect(allowanceOf(one, NOW_MS, standing)).toEqual({ text })
    if (refresh !== 'valid' || one.problem?.status === 200 || one.problem?.status === 403) return
    const service = { ...key.service, reachable: false }
    expect(allowanceOf(one, NOW_MS, { ...standing, service })).toEqual({ text: 'calls fail: no response' })
    const access = { ...key.access, state: 'expired' as const }
    const expired = { text: 'calls fail: access expired' }
    expect(allowanceOf(one, NOW_MS, { ...standing, access })).toEqual(expired)
    const uncalled = { ...key.service, reachable: false, pending: true as const }
    expect(allowanceOf(one, NOW_MS, { ...standing, service: uncalled })).toEqual({ text })
    // A window that lost the connection to its host does not learn of later refreshes.
    const renewedLater = { ...key.access, state: 'valid' as const, expiresAt: NOW_MS - 1_000 }
    const old = { ...standing, at: NOW_MS - 90_000, access: renewedLater }
    expect(allowanceOf(one, NOW_MS, old)).toEqual({ text })
  })

  it.each([401, 503])('shows the %i that every call of the key gets', (status) => {
    const requests = [row, answered(status), { ...answered(status), category: 'Balances' }]
    expect(allowanceOf(row, NOW_MS, snapshot({ requests }))).toEqual({ text: `calls get ${status}` })
    const alone = { ...answered(401), problem: { status: 401, since: NOW_MS, alone: true } } as const
    expect(allowanceOf(row, NOW_MS, snapshot({ requests: [row, alone] }))).toEqual({
      text: 'last header 14:02',
    })
  })

  it.each([401, 403])('includes one whose last check was rejected (%i), whatever its number', (status) => {
    const rejected: RequestQuota = { ...answered(status), state: 'ok' }
    expect(leftText(rejected, NOW_MS)).toBe('was 214')
    expect(safePaceText(rejected, NOW_MS)).toBe('?')
    expect(allowanceOf(rejected, NOW_MS, snapshot())).not.toHaveProperty('burst')
  })
})

it('shows how many may be sent now, and how fast after that', () => {
  const allowed = (more: Partial<RequestQuota>) => allowanceOf(positions(more), NOW_MS)
  const safe = { everySeconds: 1.2, burst: 226 }
  expect(allowed({ safe })).toEqual({ burst: 226, text: 'now, then 1 per 1.2 s' })
  expect(allowed({ safe, model: 'fixed' })).toEqual({ burst: 226, text: 'now, or 1 per 1.2 s' })
  expect(allowed({ safe: { everySeconds: null, burst: 163 }, state: 'watch' })).toEqual({
    burst: 163,
    text: 'now, then none',
  })
  expect(allowed({})).toEqual({ text: 'measuring' })
  const blocked = { safe: { everySeconds: null, burst: 0 }, state: 'blocked' } as const
  expect(allowed({ ...blocked, blockedUntil: NOW_MS + 40_000 })).toEqual({
    text: 'none until 14:31:45',
    until: '14:31:45',
  })
  expect(allowed({ ...blocked, blockedUntil: NOW_MS })).toEqual({ text: 'retry now' })
  expect(allowed({ ...blocked, nextTryAt: NOW_MS + 1 })).toEqual({
    text: 'none until others slow down',
    until: 'others slow down',
  })
})

it('counts ongoing 429s next to their label, and counts down to the end of one', () => {
  const note = (more: Partial<RequestQuota>) => rowNote(positions({ state: 'blocked', ...more }), NOW_MS)
  expect(note({ nextTryAt: NOW_MS + 1, rejected: 12 })).toBe('×12')
  expect(note({ nextTryAt: NOW_MS + 1, rejected: 1 })).toBe('')
  expect(note({ blockedUntil: NOW_MS + 40_000, rejected: 3 })).toBe('in 40 s')
  expect(note({ blockedUntil: NOW_MS, rejected: 3 })).toBe('now')
  expect(note({ state: 'low' })).toBe('16 %')
})

describe('what a person can do', () => {
  const use = { total: 1.35, own: 0.1, elsewhere: 1.25, elsewhereLow: 1.2, elsewhereHigh: 1.3 }

  it('shows who uses it, how fast, and the refill', () => {
    expect(usageSentence(positions({ use }), NOW_MS)).toBe(
      'Others on this key use about 1.2–1.3/s, Headroom uses 0.1/s; it refills 1.07/s.',
    )
    const own = positions({ use: { total: 0.5, own: 0.5, elsewhere: 0 } })
    expect(usageSentence(own, NOW_MS)).toBe('Headroom uses 0.5/s; it refills 1.07/s.')
    const idle = positions({ use: { total: 0, own: 0, elsewhere: 0 } })
    expect(usageSentence(idle, NOW_MS + 12_000)).toBe('No use measured (last check 12 s ago).')
    expect(usageSentence(positions({ use: null }), NOW_MS)).toBe('Still measuring other traffic.')
    const fixed = positions({ use, model: 'fixed', windowEndsAt: NOW_MS + 60_000 })
    expect(usageSentence(fixed, NOW_MS)).toContain('it refills at 14:32:05.')
    const ended = { ...fixed, windowEndsAt: NOW_MS }
    expect(usageSentence(ended, NOW_MS)).toContain('it refills when its window ends.')
    expect([ownText(positions({ use })), othersText(positions({ use }))]).toEqual(['0.1', '1.2–1.3'])
    expect([ownText(positions({ use: null })), othersText(positions({ use: null }))]).toEqual(['?', '?'])
  })

  it('shows the desk’s other machines as a third part of the use', () => {
    const shared = { total: 1.65, own: 0.4, desk: 0.25, elsewhere: 1, elsewhereLow: 1, elsewhereHigh: 1 }
    const row = positions({ use: shared })
    expect(usageSentence(row, NOW_MS)).toBe(
      'Others on this key use about 1.0/s, the desk 0.3/s, this machine 0.4/s; it refills 1.07/s.',
    )
    expect(usageLine(row)).toBe('others 1.0/s, desk 0.3/s, refill 1.07/s')
    expect(deskText(row, DESK)).toBe('0.3')
    expect(deskText(row, DESK_ALONE)).toBe('–')
    const idle = { ...shared, own: 0, elsewhere: 0, elsewhereLow: 0, elsewhereHigh: 0 }
    expect(usageSentence(positions({ use: idle }), NOW_MS)).toBe('The desk uses 0.3/s; it refills 1.07/s.')
    expect(usageSentence(positions({ use: { ...idle, own: 0.4 } }), NOW_MS)).toBe(
      'The desk uses 0.3/s, this machine uses 0.4/s; it refills 1.07/s.',
    )
    expect(deskText(positions({ use: null }), undefined)).toBe('?')
    expect(deskText(positions({ use: shared, state: 'not-checked' }), DESK)).toBe('–')
    expect(deskText(positions({ use }), undefined)).toBe('0')
  })

  it('does not show a row as recovering while the desk’s other machines use the rest', () => {
    const eased = { total: 1.1, own: 0.1, desk: 0.6, elsewhere: 0.4, elsewhereLow: 0, elsewhereHigh: 0.4 }
    const row = positions({ state: 'running-out', use: eased })
    expect(quotaStatus(row, NOW_MS).note).toBe('within 10 min')
    expect(quotaStatus({ ...row, use: { ...eased, desk: 0.5 } }, NOW_MS).note).toBe('recovering')
  })

  it('shows the safe pace, rounded to the safe side', () => {
    const paced = (everySeconds: number | null, burst = 0) => positions({ safe: { everySeconds, burst } })
    expect(safePaceText(paced(1.81), NOW_MS)).toBe('1 per 1.9 s')
    expect(safePaceText(paced(1.9), NOW_MS)).toBe('1 per 1.9 s')
    expect(safePaceText(paced(0.0951), NOW_MS)).toBe('10 per s')
    expect(safePaceText(paced(150.2), NOW_MS)).toBe('1 per 151 s')
    expect(safePaceText(paced(null), NOW_MS)).toBe('none')
    expect(safeSentence(paced(null), NOW_MS)).toBe('Safe pace: none, others may use the whole refill.')
    const busy = { total: 1.2, own: 0, elsewhere: 1.2, elsewhereLow: 1.1, elsewhereHigh: 1.3 }
    expect(safeSentence({ ...paced(null), use: busy }, NOW_MS)).toBe(
      'Safe pace: none, others use the whole refill.',
    )
    const shared = { total: 1.1, own: 0, desk: 0.6, elsewhere: 0.5, elsewhereLow: 0.5, elsewhereHigh: 0.5 }
    expect(safeSentence({ ...paced(null), use: shared }, NOW_MS)).toBe(
      'Safe pace: none, others and the desk may use the whole refill.',
    )
    expect(safeSentence(paced(1.9, 40), NOW_MS)).toBe('Safe pace: 1 per 1.9 s, 40 at once.')
    expect(safePaceText(positions(), NOW_MS)).toBe('?')
    expect(safePaceText({ ...paced(1.9), state: 'not-checked' }, NOW_MS)).toBe('?')
    const refused = { ...paced(null), state: 'blocked', blockedUntil: NOW_MS + 40_000 } as const
    expect(safePaceText(refused, NOW_MS)).toBe('in 40 s')
    expect(safePaceText(refused, NOW_MS + 40_000)).toBe('retry now')
    expect(safeSentence(refused, NOW_MS)).toBe('')
  })

  it('shows what happens if more is requested', () => {
    const row = positions({ use, safe: { everySeconds: null, burst: 0 }, low: 54 })
    // Others use 1.3/s and the app 0.1/s, while 1.07/s refill. With another 0.5/s, the level falls by 0.83/s.
    expect(whatIfText(row, 0.5, NOW_MS)).toBe('empty at 14:32:09 at the earliest')
    const quiet = { ...row, use: { total: 0.1, own: 0.1, elsewhere: 0 } }
    expect(whatIfText(quiet, 0.5, NOW_MS)).toBe('lasts')
    expect(whatIfText(quiet, 0.97, NOW_MS)).toBe('lasts more than 1 h 0 min')
    // The moment does not move with the clock between two pushes.
    expect(whatIfText(row, 0.5, NOW_MS + 900)).toBe('empty at 14:32:09 at the earliest')
    expect(whatIfText({ ...row, low: 0 }, 0.5, NOW_MS)).toBe('empty now')
  })

  it('does not count unknown use by others as none', () => {
    const row = positions({ use: null, low: 300 })
    for (const added of [0, 0.5, 50]) {
      expect(whatIfText(row, added, NOW_MS)).toBe('unknown: still measuring others')
    }
    const known = positions({ use, low: 300 })
    expect(whatIfText({ ...known, state: 'not-checked' }, 0.5, NOW_MS)).toMatch(/no level was measured$/)
    expect(whatIfText({ ...known, state: 'blocked' }, 0.5, NOW_MS)).toMatch(/until the 429 ends$/)
  })

  it('does not show a row as running out while it recovers', () => {
    const eased = { total: 0.5, own: 0.1, elsewhere: 0.4, elsewhereLow: 0, elsewhereHigh: 0.9 }
    const row = positions({ state: 'running-out', use: eased })
    expect(quotaStatus(row, NOW_MS)).toMatchObject({ label: 'running out', note: 'recovering' })
    expect(stateSentence(row, NOW_MS)).toBe('Positions was running out; it is recovering (16 % left).')
    const still = positions({ state: 'running-out', use: { ...eased, elsewhereHigh: 1 } })
    expect(quotaStatus(still, NOW_MS).note).toBe('within 10 min')
  })

  it('shows by when a possibly empty row is empty', () => {
    expect(stateSentence(out(30, { low: 0 }), NOW_MS)).toBe('Positions runs out by 14:33.')
    // The latest time may pass if no header arrives.
    expect(emptyText(out(30), NOW_MS + 90_000)).toBe('by 14:33')
    const { emptyTo: _, ...mayLast } = out(30)
    expect(quotaStatus(mayLast, NOW_MS).note).toBe('any moment')
    expect(stateSentence(mayLast, NOW_MS)).toBe('Positions is about to run out.')
  })

  it('shows what the state means for the next call', () => {
    const said = (more: Partial<RequestQuota>) => stateSentence(positions(more), NOW_MS)
    expect(said({ state: 'empty', use })).toBe('Positions is empty. Calls get 429 until others slow down.')
    expect(said({ state: 'empty' })).toBe('Positions is empty. Calls get 429 until it refills.')
    expect(said({ state: 'blocked', blockedUntil: NOW_MS + 300_000 })).toBe(
      '429 on Positions. Safe to retry at 14:36:05, in 5 min 0 s.',
    )
    // After the wait, the sentence still names the 429 for a while, so that it does not change back and
    // forth.
    expect(said({ state: 'blocked' })).toBe('429 on Positions. The wait is over. Checking now.')
    expect(said({ state: 'low' })).toBe('Positions is low (16 %).')
    expect(said({ state: 'watch' })).toBe('Positions may run out within 10 min.')
    expect(stateSentence(out(214, { state: 'watch' }), NOW_MS)).toBe(
      'Positions may run out as early as 14:34.',
    )
    // As few as 40 requests may be left, but the midpoint is 220. A single number would not show why the row
    // is low.
    const doubted = positions({ state: 'low', low: 40, level: 220, high: 268 })
    expect(quotaStatus(doubted, NOW_MS).note).toBe('12–83 %')
    expect(stateSentence(doubted, NOW_MS)).toBe('Positions may be low (12–83 %).')
  })
})

describe('whether others certainly use the whole refill of 1.07 a second', () => {
  const surely = (own: number, elsewhereLow: number) =>
    surelyUsesWholeRefill(
      positions({ use: { own, elsewhere: 320 / 300, elsewhereLow, total: own + 320 / 300 } }),
    )

  it('they do if own requests take the smaller rest', () => {
    expect(surely(0, 1.07)).toBe(true)
    expect(surely(0.2, 0.87)).toBe(true)
  })

  it('they do not if part of it may be unused, or own requests take more', () => {
    expect(surely(0, 0.87)).toBe(false)
    expect(surely(0.2, 0.6)).toBe(false)
    expect(surely(0.9, 0.17)).toBe(false)
  })
})
