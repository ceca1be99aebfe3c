import '../../renderer/utc.ts'
import { describe, expect, it } from 'vitest'
import {
  aspectStatuses,
  headline,
  keyFindings,
  keyStatus,
  spokenText,
} from '../../../app/conditions/key-status.ts'
import { OTHERS_ARE } from '../../../app/conditions/messages/rows.ts'
import { mostUrgent } from '../../../app/contract/severity.ts'
import type { RequestQuota, Snapshot } from '../../../app/contract/snapshot.ts'
import { weekdayText } from '../../../app/status/moments.ts'
import { proves } from '../../proof/proves.ts'
import {
  CALM_REQUESTS,
  DESK,
  DESK_ALONE,
  defaultQuota,
  NOW_MS,
  quota,
  slots,
  snapshot,
  stream,
} from '../../renderer/fixtures.ts'

const row = (category: string, more: Partial<RequestQuota> = {}) => quota(category, 320, 300, 250, more)
const said = (...requests: readonly RequestQuota[]) => headline(snapshot({ requests }), NOW_MS)
const ok = row('Accounts')

describe('the headline', () => {
  it('names the root cause, who uses it and what to do, and the other causes', () => {
    expect(headline(snapshot(), NOW_MS)).toEqual({
      severity: 'critical',
      headline: 'Positions runs out 14:32–14:34. Also: Option Expirations low.',
      detail:
        'Pause Positions calls. Others on this key use about 0.9–1.1/s, Headroom uses 0.4/s; it refills 1.07/s.',
    })
  })

  it('counts the waiting streams, and among them those that wait for a slot', () => {
    const lost = stream('a', 'Order Stream', 'A', { state: 'waiting', lastFrameAt: NOW_MS - 60_000 })
    const queued = stream('b', 'Order Stream', 'B', { state: 'waiting', reasonCode: 'no-slot' })
    const streams = [lost, queued, stream('c', 'Order Stream', 'C')]
    expect(headline(snapshot({ requests: [ok], streams, slots: [] }), NOW_MS)).toMatchObject({
      headline: '2 of 3 streams are waiting since 14:30.',
      detail: 'No action needed. Headroom reopens them. 1 of them waits for a slot.',
    })
  })

  it('names the day of a time that is not today', () => {
    const since = NOW_MS - 70 * 3_600_000
    const at = (more: Partial<Snapshot>) => headline(snapshot({ requests: [ok], ...more }), NOW_MS)
    const day = weekdayText(since)
    expect(at({ service: { reachable: false, host: 'h', since } }).headline).toContain(`since ${day}.`)
    const { refresh } = snapshot()
    expect(at({ refresh: { ...refresh, state: 'revoked', revokedAt: since } }).headline).toBe(
      `Revoked at ${day}.`,
    )
    expect(at({ refresh: { ...refresh, state: 'sign-in-required', endsAt: since } }).detail).toContain(
      `The sign-in ended at ${day}.`,
    )
    const order = { id: 'o', kind: 'order', accountEnding: '782', program: 'bot', at: since } as const
    const orders = { state: 'on', today: 0, unknown: [{ ...order, state: 'not-found' }] } as const
    expect(at({ orders }).headline).toContain(`Sent by bot at ${day}:`)
    const problem = { status: 503, since }
    expect(at({ requests: CALM_REQUESTS.map((one) => ({ ...one, problem })) }).headline).toContain(
      `503 since ${day}.`,
    )
  })

  it('promises the next 10 minutes only if every checked row is ok', () => {
    expect(said(ok, row('Balances'))).toMatchObject({
      severity: 'ok',
      headline: 'No quota runs out within 10 min.',
      detail: 'Tightest: Accounts, 250 of 320 left.',
    })
    for (const state of ['low', 'running-out', 'empty', 'blocked'] as const) {
      const { severity, headline: text } = said(ok, row('Balances', { state }))
      expect(text).not.toContain('No ')
      expect(severity).not.toBe('ok')
    }
    const lost = row('Balances', { state: 'not-checked' })
    expect(said(ok, lost)).toMatchObject({
      headline: 'No checked quota runs out within 10 min.',
      detail: 'Tightest: Accounts, 250 of 320 left. Not checked: Balances.',
    })
    expect(said(ok, defaultQuota('Balances', 320, 300)).detail).toMatch(/Not checked: Balances\.$/)
  })

  it('calls no full quota the tightest', () => {
    const full = row('Accounts', { level: 320, low: 320 })
    expect(said(full, row('Balances', { level: 320, low: 320 })).detail).toBe('Every checked quota is full.')
    expect(said(full, row('Balances', { level: 320, low: 287 })).detail).toBe(
      'Tightest: Balances, at least 287 of 320 left.',
    )
    const small = row('Quotes', { limit: 10, level: 10, low: 9 })
    expect(said(small, row('Balances', { level: 320, low: 310 })).detail).toMatch(/^Tightest: Balances, /)
    expect(said(small, row('Balances', { level: 310, low: 310 })).detail).toMatch(/^Tightest: Balances, /)
  })

  it('names rows whose use by others is not known well enough, and promises nothing about them', () => {
    const wide = { total: 2.4, own: 0, elsewhere: 2.4, elsewhereLow: 0, elsewhereHigh: 5.9 }
    const falling = quota('Quote Snapshot', 500, 300, 480, { low: 281, high: 500, use: wide })
    const once = row('Balances', { use: null })
    expect(said(ok, falling, once)).toEqual({
      severity: 'unknown',
      headline: 'All quotas look fine so far.',
      detail:
        'Still measuring other traffic: Balances and Quote Snapshot (0–5.9/s). Tightest: Accounts, 250 of 320 left.',
    })
    const lost = row('Positions', { state: 'not-checked' })
    expect(said(ok, once, lost)).toMatchObject({
      headline: 'All checked quotas look fine so far.',
      detail:
        'Still measuring other traffic: Balances. Tightest: Accounts, 250 of 320 left. Not checked: Positions.',
    })
    const four = ['A', 'B', 'C', 'D'].map((category) => row(category, { use: null }))
    expect(said(...four).detail).toMatch(/^Still measuring other traffic: 4 quotas\. Tightest/)
  })

  it('makes no statement about the present if nothing is checked', () => {
    expect(said(row('Balances', { state: 'not-checked', observedAt: NOW_MS - 250_000 }))).toEqual({
      severity: 'unknown',
      headline: 'No fresh data for 4 min.',
      detail: 'Check now, or send a request. Numbers since 14:26 are estimates.',
    })
    // A single fresh header does not show how much others use. Two headers are needed.
    const early = snapshot({
      requests: [row('Balances', { state: 'not-checked', use: null, observedAt: NOW_MS - 6_000 })],
    })
    expect(headline(early, NOW_MS)).toEqual({
      severity: 'unknown',
      headline: 'Still measuring other traffic.',
      detail: 'No action needed. This needs two headers; the last one came 6 s ago.',
    })
    expect(said(defaultQuota('Balances', 320, 300))).toEqual({
      severity: 'unknown',
      headline: 'No data yet.',
      detail: 'Checking now. Limits shown are the documented defaults.',
    })
  })

  it('names three other causes, worst first, and counts the rest', () => {
    const others = [
      row('A', { state: 'low', low: 45, level: 50 }),
      row('B', { state: 'running-out', emptyAt: NOW_MS + 240_000 }),
      row('C', { state: 'running-out', emptyAt: NOW_MS + 400_000 }),
      row('D', { state: 'low', level: 60 }),
    ]
    expect(said(row('Positions', { state: 'empty' }), ...others).headline).toBe(
      'Positions is empty. Calls get 429 until it refills. Also: B running out, C running out, A low, +1 more.',
    )
  })

  it('never calls a row fine if its last response had no number', () => {
    const problem = { status: 200, since: NOW_MS - 1_000 }
    const failing = row('B', { problem })
    expect(said(ok, failing)).toMatchObject({ headline: 'No checked quota runs out within 10 min.' })
    expect(said(ok, failing).detail).toMatch(/ No rate-limit headers in the last response: B\.$/)
    // If no row has a number, the problem is the headline at once.
    const all = said(failing, row('C', { problem }), row('D', { state: 'not-checked' }))
    expect(all).toMatchObject({
      severity: 'warning',
      headline: 'Responses have no rate-limit headers.',
    })
  })

  it('shows after a single 429 of the key when it is safe to retry', () => {
    const refused = row('Positions', { state: 'blocked', blockedUntil: NOW_MS + 40_000 })
    expect(said(refused, ok)).toMatchObject({
      severity: 'critical',
      headline: '429 on Positions. Safe to retry at 14:31:45.',
      detail: expect.stringMatching(/^Stop direct Positions calls until then\./),
    })
    expect(headline(snapshot({ requests: [refused, ok] }), NOW_MS + 40_000).headline).toBe(
      '429 on Positions. The wait is over.',
    )
  })

  it('shows what is left of a row that may run out, or recovers', () => {
    expect(said(ok, row('Positions', { state: 'watch' }))).toMatchObject({
      severity: 'watch',
      headline: 'Positions may run out within 10 min.',
      detail: expect.stringMatching(/^No action needed\. .* 78 % left now\.$/),
    })
    const use = { total: 0.2, own: 0.2, elsewhere: 0, elsewhereLow: 0, elsewhereHigh: 0 }
    expect(said(ok, quota('Positions', 320, 300, 52, { state: 'running-out', use }))).toMatchObject({
      headline: 'Positions was running out. Recovering, 16 % left.',
      detail: expect.stringMatching(/^No action needed\. /),
    })
  })

  it('is never calm about a key that cannot call', () => {
    const { refresh } = snapshot()
    for (const state of ['sign-in-required', 'revoke-unconfirmed', 'revoked', 'revoking', 'none'] as const) {
      const dead = snapshot({ requests: CALM_REQUESTS, refresh: { ...refresh, state } })
      expect(headline(dead, NOW_MS).headline).not.toMatch(/quota/)
      expect(aspectStatuses(dead, NOW_MS).find(({ aspect }) => aspect === 'quotas')?.severity).toBe('unknown')
    }
  })

  it('shows when an unresponsive sign-in host is tried again', () => {
    const signInHost = {
      host: 'signin.example.com',
      since: NOW_MS - 60_000,
      retryAt: NOW_MS + 8_000,
      why: 'host name not found',
    }
    const away = snapshot({ requests: CALM_REQUESTS, signInHost })
    const { detail } = headline(away, NOW_MS)
    expect(detail).toBe('Check the network. Retrying at 14:31:13. signin.example.com: host name not found.')
    // The text contains no time that has passed.
    expect(headline(away, NOW_MS + 9_000).detail).toContain('Retrying now. ')
  })

  it('asks about a host of this computer whether it is running, not about the network', () => {
    const since = NOW_MS - 60_000
    const signInHost = { host: '127.0.0.1:8080', since, retryAt: NOW_MS + 8_000, why: 'connection refused' }
    const away = snapshot({ requests: CALM_REQUESTS, signInHost })
    expect(keyStatus(away, NOW_MS).action).toBe('Check that a server is running at 127.0.0.1:8080.')
    const remote = { ...away, signInHost: { ...signInHost, host: 'localhost.example.com:443' } }
    expect(keyStatus(remote, NOW_MS).action).toBe('Check the network.')
  })

  it('says that others use the whole refill only if the low end of their use is that', () => {
    const empty = (elsewhereLow: number) => {
      const use = { total: 1.2, own: 0, elsewhere: 1.2, elsewhereLow, elsewhereHigh: 1.3 }
      const row = quota('Positions', 320, 300, 0, { state: 'empty', use })
      const { text, detail } = keyStatus(snapshot({ requests: [row] }), NOW_MS)
      return [text, detail]
    }
    expect(empty(1.1)).toEqual([
      'Others on this key use the whole refill (1.07/s).',
      `Others use about 1.1–1.3/s; it refills 1.07/s. ${OTHERS_ARE}`,
    ])
    expect(empty(0)).toEqual([
      'Others on this key probably use the whole refill (1.07/s).',
      `Others use about 0–1.3/s; it refills 1.07/s. ${OTHERS_ARE}`,
    ])
  })

  it('says that others use more than the refill while the quota still has some', () => {
    const use = { total: 2.4, own: 0, elsewhere: 2.4, elsewhereLow: 2, elsewhereHigh: 3 }
    const row = (state: 'running-out' | 'low') => {
      const rest = { state, use, emptyAt: NOW_MS + 300_000, safe: { everySeconds: null, burst: 8 } }
      return keyStatus(snapshot({ requests: [quota('Positions', 320, 300, 100, rest)] }), NOW_MS)
    }
    expect(row('running-out').text).toBe('Others on this key use more than the refill (1.07/s).')
    expect(row('low').action).toBe('Slow or stop the other programs.')
  })

  it('names what to slow: a poller by its period, silent machines, a program on another machine', () => {
    const others = { total: 1.2, own: 0, elsewhere: 1.2, elsewhereLow: 1.1, elsewhereHigh: 1.3 }
    const desk = { total: 1.1, own: 0, desk: 1.1, elsewhere: 0, elsewhereLow: 0, elsewhereHigh: 0 }
    const actionOf = (more: Partial<RequestQuota>, of: Partial<Snapshot> = {}) => {
      const rest = { state: 'low', safe: { everySeconds: null, burst: 8 }, ...more } as const
      const at = snapshot({ ...of, requests: [quota('Positions', 320, 300, 50, rest)] })
      return keyFindings(at, NOW_MS).find(({ subject }) => subject === 'Positions')?.action
    }
    const poller = { everySeconds: 5, calls: 6, since: NOW_MS - 600_000 }
    expect(actionOf({ use: others, poller })).toBe('Slow or stop the program that polls every 5 s.')
    expect(actionOf({ use: others }, { desk: DESK_ALONE })).toBe(
      'Slow or stop the other programs; check LAPTOP and SERVER.',
    )
    expect(actionOf({ use: others }, { desk: DESK })).toBe('Slow or stop the other programs.')
    expect(actionOf({ use: desk }, { desk: DESK })).toBe('Slow the programs on LAPTOP and SERVER.')
    const quiet = { ...desk, total: 0.2, desk: 0.2 }
    expect(actionOf({ use: quiet }, { desk: DESK })).toBe('Slow risk on SERVER.')
  })

  it('is announced by its state, not by its countdown', () => {
    expect(spokenText(snapshot(), NOW_MS)).toBe('Positions running out.')
    expect(spokenText(snapshot(), NOW_MS + 30_000)).toBe('Positions running out.')
    expect(spokenText(snapshot({ requests: [ok] }), NOW_MS)).toBe('No quota runs out within 10 min.')
  })

  it('is grey once the pushing process has stopped', () => {
    const later = NOW_MS + 3_600_000
    expect(headline(snapshot({ requests: CALM_REQUESTS }), later)).toMatchObject({ severity: 'unknown' })
  })
})

describe('one key on a line', () => {
  const line = (more: Partial<Snapshot>) => keyStatus(snapshot(more), NOW_MS)

  it('is the name of its root cause, or ok', () => {
    expect(line({ requests: [ok] })).toMatchObject({ severity: 'ok', name: 'ok', others: 0 })
    expect(line({})).toMatchObject({ name: 'Positions running out', note: '14:32–14:34', others: 1 })
    expect(line({ requests: [] }).name).toBe('Quotas not checked')
  })

  it('shows first why no call succeeds', () => {
    const refresh = { ...snapshot().refresh, state: 'sign-in-required' } as const
    const service = { reachable: false, host: 'api.example.com' }
    expect(line({ refresh, service }).name).toBe('Signed out')
    expect(line({ refresh: { ...refresh, cause: 'misconfigured' }, service }).name).toBe('API key rejected')
    expect(line({ service }).name).toBe('Service unreachable')
  })

  it('never calls an unconfirmed revocation done', () => {
    const of = (state: 'revoked' | 'revoke-unconfirmed') =>
      line({ refresh: { ...snapshot().refresh, state } }).label
    expect(of('revoke-unconfirmed')).toBe('revocation not confirmed')
    expect(of('revoked')).toBe('revoked')
  })

  it('shows the most urgent key for all; among equals, the first', () => {
    const lines = (['ok', 'critical', 'warning', 'critical'] as const).map((severity, id) => ({
      severity,
      id,
    }))
    expect(mostUrgent(lines)?.id).toBe(1)
    expect(mostUrgent([])).toBeUndefined()
  })
})

describe('each part of a key’s health', () => {
  const parts = (more: Partial<Snapshot> = {}) =>
    aspectStatuses(snapshot({ requests: CALM_REQUESTS, ...more }), NOW_MS).map(
      ({ name, severity, label }) => `${name} ${label} ${severity}`,
    )

  it('has a word, and the severity of its worst condition', () => {
    expect(parts()).toEqual([
      'Sign-in ok ok',
      'Service ok ok',
      'Streams ok ok',
      'Slots ok ok',
      'Quotas ok ok',
      'Quota data 0 s old ok',
    ])
    expect(
      parts({
        requests: [row('Positions', { state: 'empty', observedAt: NOW_MS - 240_000 })],
        streams: [
          stream('a', 'Order Stream', 'A'),
          stream('b', 'Order Stream', 'B', { state: 'stale', lastFrameAt: NOW_MS - 40_000 }),
        ],
        slots: [slots('Option Chain Stream', 10, 10, 0), slots('MarketDepth Stream', 10, 10, 0)],
      }),
    ).toEqual([
      'Sign-in ok ok',
      'Service ok ok',
      'Streams 1 silent warning',
      'Slots 2 full warning',
      'Quotas empty critical',
      'Quota data 4 min old unknown',
    ])
  })

  it('is unknown where it was never observed', () => {
    const unseen = slots('Option Chain Stream', 10, 0, 0, 'default')
    expect(parts({ streams: [], requests: [], slots: [unseen] }).slice(2)).toEqual([
      'Streams none unknown',
      'Slots not observed unknown',
      'Quotas not checked unknown',
      'Data none yet unknown',
    ])
    proves('C4', { level: 1, cases: 4 })
  })

  it('is ok so far if use by others is not known well enough', () => {
    expect(parts({ requests: [ok, row('Balances', { use: null })] })).toContain('Quotas ok so far unknown')
  })

  it('is not ok while no call succeeds', () => {
    const { refresh } = snapshot()
    const closed = stream('a', 'Order Stream', 'A', { state: 'closed' })
    expect(
      parts({ refresh: { ...refresh, state: 'sign-in-required' }, streams: [closed] }).slice(0, 5),
    ).toEqual([
      'Sign-in signed out critical',
      'Service not checked unknown',
      'Streams closed unknown',
      'Slots not checked unknown',
      'Quotas not checked unknown',
    ])
  })
})
