import '../../renderer/utc.ts'
import { describe, expect, it } from 'vitest'
import type { RequestQuota, Snapshot } from '../../../app/contract/snapshot.ts'
import { keyFindings } from '../../../app/status/key-findings.ts'
import { aspectStatuses, headline, keyStatus, shortText, spokenText } from '../../../app/status/key-status.ts'
import { mostUrgent } from '../../../app/status/severity.ts'
import {
  CALM_REQUESTS,
  defaultQuota,
  NOW_MS,
  quota,
  REQUESTS,
  slots,
  snapshot,
  stream,
} from '../../renderer/fixtures.ts'

const use = { total: 1.4, own: 0.1, elsewhere: 1.25, elsewhereLow: 1.2, elsewhereHigh: 1.3 }
const row = (category: string, more: Partial<RequestQuota> = {}) => quota(category, 320, 300, 250, more)
const said = (...requests: readonly RequestQuota[]) => headline(snapshot({ requests }), NOW_MS)
const ok = row('Accounts')

describe('the headline', () => {
  it('says what runs out, when, who uses it, and what may still be asked', () => {
    expect(headline(snapshot(), NOW_MS)).toEqual({
      severity: 'critical',
      headline: 'Positions runs out in 1 min 50 s. Also low: Option Expirations (17 %).',
      detail:
        'Safe pace: none, others may take all. Others use 0.9–1.1/s, Headroom uses 0.4/s; it refills 1.07/s.',
    })
  })

  it('promises the next 10 minutes only where every row that was checked is ok', () => {
    expect(said(ok, row('Balances'))).toMatchObject({
      severity: 'ok',
      headline: 'No quota will run out in the next 10 min.',
      detail: 'Tightest: Accounts, 250 of 320 left.',
    })
    for (const state of ['low', 'running-out', 'empty', 'blocked'] as const) {
      const { severity, headline: text } = said(ok, row('Balances', { state }))
      expect(text).not.toContain('No ')
      expect(severity).not.toBe('ok')
    }
    const lost = row('Balances', { state: 'not-checked' })
    expect(said(ok, lost)).toMatchObject({
      headline: 'No checked quota will run out in the next 10 min.',
      detail: 'Tightest: Accounts, 250 of 320 left. Not checked: Balances.',
    })
    expect(said(ok, defaultQuota('Balances', 320, 300)).headline).toMatch(/^No quota will/)
  })

  it('promises nothing of a row whose use by others is not known well enough, and says which', () => {
    const wide = { total: 2.4, own: 0, elsewhere: 2.4, elsewhereLow: 0, elsewhereHigh: 5.9 }
    const falling = quota('Quote Snapshot', 500, 300, 480, { low: 281, high: 500, use: wide })
    const once = row('Balances', { use: null })
    expect(said(ok, falling, once)).toEqual({
      severity: 'unknown',
      headline: 'All quotas are ok so far.',
      detail:
        'Others’ use is not known well enough yet: Balances and Quote Snapshot (0–5.9/s). Tightest: Accounts, 250 of 320 left.',
    })
    const lost = row('Positions', { state: 'not-checked' })
    expect(said(ok, once, lost)).toMatchObject({
      headline: 'All checked quotas are ok so far.',
      detail:
        'Others’ use is not known well enough yet: Balances. Tightest: Accounts, 250 of 320 left. Not checked: Positions.',
    })
    const four = ['A', 'B', 'C', 'D'].map((category) => row(category, { use: null }))
    expect(said(...four).detail).toMatch(/not known well enough yet: 4 quotas\. Tightest/)
    const empty = row('Positions', { state: 'empty', use })
    expect(said(empty, once).headline).toMatch(/ All others are ok so far\.$/)
    expect(spokenText(snapshot({ requests: [ok, once] }), NOW_MS)).toBe('All checked quotas are ok so far.')
  })

  it('says nothing of the present where nothing is checked', () => {
    expect(said(row('Balances', { state: 'not-checked', observedAt: NOW_MS - 250_000 }))).toEqual({
      severity: 'unknown',
      headline: 'No fresh data. Last header 4 min ago.',
      detail: 'Numbers since then are estimates.',
    })
    // A header of a moment ago is fresh, and may still say too little.
    const early = snapshot({
      requests: [row('Balances', { state: 'not-checked', use: null, observedAt: NOW_MS - 6_000 })],
    })
    expect(headline(early, NOW_MS)).toEqual({
      severity: 'unknown',
      headline: 'Too few headers yet to judge any quota.',
      detail: 'Last header 6 s ago; others’ use shows from the second one on.',
    })
    expect(spokenText(early, NOW_MS)).toBe('Too few headers yet to judge any quota.')
    expect(spokenText(early, NOW_MS + 150_000)).toBe('No fresh data.')
    expect(said(defaultQuota('Balances', 320, 300))).toEqual({
      severity: 'unknown',
      headline: 'No data yet.',
      detail: 'Limits shown are the documented defaults.',
    })
  })

  it('names the others that are in trouble, worst first, and counts the rest', () => {
    const empty = row('Positions', { state: 'empty', use })
    expect(said(empty, ok).headline).toBe(
      'Positions is empty. Calls will fail with 429 until others slow down. All others are fine.',
    )
    const others = [
      row('A', { state: 'low', low: 45, level: 50 }),
      row('B', { state: 'running-out', emptyAt: NOW_MS + 240_000 }),
      row('C', { state: 'running-out', emptyAt: NOW_MS + 400_000 }),
      row('D', { state: 'low', level: 60 }),
    ]
    expect(said(empty, ...others).headline).toMatch(
      /Also running out: B \(4 min 0 s\), C \(within 10 min\); low: A \(14–78 %\); \+1 more\.$/,
    )
    expect(said(empty, ok, row('E', { state: 'not-checked' })).headline).toMatch(
      /All others that are checked are fine\.$/,
    )
  })

  it('never calls a row fine whose last answer brought no number', () => {
    const problem = { status: 200, since: NOW_MS - 1_000 }
    const failing = row('B', { problem })
    const low = row('A', { state: 'low', low: 48, level: 48 })
    expect(said(low, ok).headline).toMatch(/ All others are fine\.$/)
    expect(said(low, ok, failing).headline).toMatch(/ All others that are checked are fine\.$/)
    expect(said(ok, failing)).toMatchObject({ headline: 'No checked quota will run out in the next 10 min.' })
    expect(said(ok, failing).detail).toMatch(/ No number in the last answer: B\.$/)
    // Where no row has one, that is the headline, without a wait.
    const all = said(failing, row('C', { problem }), row('D', { state: 'not-checked' }))
    expect(all.severity).toBe('warning')
    expect(all.headline).toMatch(/^Answers for B and 1 other quota bring no quota headers \(200\)\./)
  })

  it('says after a 429 when it is safe to retry', () => {
    const refused = row('Positions', { state: 'blocked', blockedUntil: NOW_MS + 40_000, use })
    expect(said(refused, ok)).toMatchObject({
      severity: 'critical',
      headline: 'Positions was refused (429). Safe to retry at 14:31:45, in 40 s. All others are fine.',
    })
  })

  it('is never calm over a key that is dead', () => {
    const { refresh } = snapshot()
    for (const state of ['sign-in-required', 'revoke-unconfirmed', 'revoked', 'revoking', 'none'] as const) {
      const dead = snapshot({ requests: CALM_REQUESTS, refresh: { ...refresh, state } })
      expect(headline(dead, NOW_MS).severity).not.toBe('ok')
      expect(headline(dead, NOW_MS).headline).toContain(`${keyStatus(dead, NOW_MS).label}.`)
    }
    const away = snapshot({ requests: CALM_REQUESTS, service: { reachable: false, host: 'h' } })
    expect(headline(away, NOW_MS)).toMatchObject({ severity: 'warning', headline: 'Service unreachable.' })
  })

  it('says of a sign-in host that does not answer how long the key still works, and what to do', () => {
    const signInHost = {
      host: 'signin.example.com',
      since: NOW_MS - 60_000,
      retryAt: NOW_MS + 8_000,
      why: 'the host name was not found',
    }
    const access = { ...snapshot().access, state: 'valid', expiresAt: NOW_MS + 120_000 } as const
    const away = snapshot({ requests: CALM_REQUESTS, signInHost, access })
    expect(headline(away, NOW_MS)).toEqual({
      severity: 'warning',
      headline:
        'Sign-in host unreachable since 14:30:05. The access token works until 14:33:05, and cannot be renewed now.',
      detail:
        'Check the network, and the VPN or proxy if you use one. Next try at 14:31:13. signin.example.com: the host name was not found.',
    })
    expect(aspectStatuses(away, NOW_MS)[0]).toMatchObject({ severity: 'warning', label: 'host unreachable' })
    // One cause is one finding: neither is the sign-in unconfirmed for another reason, nor the token expired.
    const refresh = { ...snapshot().refresh, state: 'unconfirmed', reason: signInHost.why } as const
    const expired = {
      ...away,
      refresh,
      access: { ...access, state: 'expired', expiresAt: NOW_MS - 1 },
    } as const
    const ofSignIn = keyFindings(expired, NOW_MS).filter(({ aspect }) => aspect === 'sign-in')
    expect(ofSignIn.map(({ text }) => text)).toEqual([
      'Since 14:30:05. There is no access token now, so nothing is checked.',
    ])
    expect(ofSignIn[0]?.action).toContain('Next try at 14:31:13.')
    expect(keyFindings(expired, NOW_MS + 9_000)[0]?.action).toContain('Headroom keeps trying.')
  })

  it('is spoken by its state, not by its countdown', () => {
    expect(spokenText(snapshot(), NOW_MS)).toBe('Positions is running out.')
    expect(spokenText(snapshot(), NOW_MS + 30_000)).toBe('Positions is running out.')
    expect(spokenText(snapshot({ requests: [ok] }), NOW_MS)).toBe(
      'No checked quota will run out in the next 10 min.',
    )
  })

  it('is grey once the process that pushes has stopped', () => {
    const later = NOW_MS + 3_600_000
    expect(headline(snapshot({ requests: CALM_REQUESTS }), later)).toMatchObject({ severity: 'unknown' })
  })
})

describe('a key in a line', () => {
  const line = (more: Partial<Snapshot>) => keyStatus(snapshot(more), NOW_MS)

  it('is the word of its worst quota, with the quota’s name unless all are ok', () => {
    expect(shortText(line({ requests: [ok] }))).toBe('ok')
    expect(shortText(line({}))).toBe('Positions running out')
    expect(line({ requests: REQUESTS }).note).toBe('1 min 50 s')
    expect(shortText(line({ requests: [] }))).toBe('not checked')
  })

  it('says first what a person has to do', () => {
    const refresh = { ...snapshot().refresh, state: 'sign-in-required' } as const
    const service = { reachable: false, host: 'api.example.com' }
    expect(line({ refresh, service }).label).toBe('Sign in again')
    expect(line({ refresh: { ...refresh, cause: 'misconfigured' }, service }).label).toBe('Key not accepted')
    expect(line({ service, requests: CALM_REQUESTS }).label).toBe('Service unreachable')
  })

  it('never calls an unconfirmed revocation done', () => {
    const of = (state: 'revoked' | 'revoke-unconfirmed') =>
      line({ refresh: { ...snapshot().refresh, state } }).label
    expect(of('revoke-unconfirmed')).toBe('Revocation not confirmed')
    expect(of('revoked')).toBe('Revoked')
  })

  it('speaks for all keys when it is the most urgent; among equals the first does', () => {
    const lines = (['ok', 'critical', 'warning', 'critical'] as const).map((severity, id) => ({
      severity,
      id,
    }))
    expect(mostUrgent(lines)?.id).toBe(1)
    expect(mostUrgent([])).toBeUndefined()
  })
})

const calm = (more: Partial<Snapshot> = {}) => snapshot({ requests: CALM_REQUESTS, ...more })
const streams = (...states: readonly Snapshot['streams'][number]['state'][]) =>
  states.map((state, index) =>
    stream(`s${index}`, 'Order Stream', `SIM${index}`, { state, lastFrameAt: NOW_MS - 20_000 }),
  )
const { refresh: valid } = snapshot()

describe('the findings of a key', () => {
  const found = (more: Partial<Snapshot>) =>
    keyFindings(calm(more), NOW_MS).map((one) => [one.severity, shortText(one)])

  it('tell a keyring or a stored token that is in trouble, as the headline too', () => {
    expect(found({ keystore: 'waiting' })).toEqual([['warning', 'Waiting for the system keyring']])
    expect(found({ keystore: 'unavailable' })).toEqual([['warning', "The system's keystore does not answer"]])
    const damaged = calm({ keystore: 'record-corrupt' })
    expect(headline(damaged, NOW_MS)).toMatchObject({
      severity: 'critical',
      headline: expect.stringMatching(/^The stored token is damaged\. It was set aside, not deleted\./),
    })
    expect(found({ keystore: 'key-changed' })).toEqual([
      ['critical', 'The stored token cannot be opened here'],
    ])
    const memory = { ...calm({}).refresh, stored: 'memory' } as const
    expect(found({ keystore: 'unprotected', refresh: memory })).toEqual([
      ['warning', 'This system would store secrets unprotected'],
    ])
    // Why there is no sign-in comes before that there is none.
    const out = { ...memory, state: 'none' } as const
    expect(found({ keystore: 'waiting', refresh: out }).map(([, said]) => said)).toEqual([
      'Waiting for the system keyring',
      'Signed out',
    ])
    expect(found({ keystore: 'unavailable', refresh: out })[0]?.[1]).toBe('Signed out')
    expect(aspectStatuses(damaged, NOW_MS)[0]?.label).toBe('keyring trouble')
    // The person consented to it, or wants nothing stored.
    expect(found({ keystore: 'unprotected' })).toEqual([])
    expect(found({ keystore: 'memory', refresh: memory })).toEqual([])
  })

  it('are none while all of it is healthy', () => {
    expect(found({})).toEqual([])
    expect(keyStatus(calm(), NOW_MS)).toMatchObject({ severity: 'ok', label: 'ok', others: 0 })
  })

  it.each<[string, Partial<Snapshot>, 'warning' | 'critical' | 'unknown', string]>([
    ['silent streams', { streams: streams('live', 'stale', 'stale') }, 'warning', 'Streams 2 of 3 silent'],
    ['all streams silent', { streams: streams('stale', 'waiting') }, 'critical', 'Streams 2 of 2 silent'],
    [
      'a full group',
      { slots: [slots('Option Chain Stream', 10, 9, 1)] },
      'critical',
      'Option Chain Stream full',
    ],
    [
      'a sign-in that ends within the hour',
      { refresh: { ...valid, endsAt: NOW_MS + 3_600_000 } },
      'warning',
      'Sign in again soon',
    ],
    [
      'a sign-in that ends within a quarter of an hour',
      { refresh: { ...valid, endsAt: NOW_MS + 900_000 } },
      'critical',
      'Sign in again soon',
    ],
    ['an ended sign-in', { refresh: { ...valid, state: 'sign-in-required' } }, 'critical', 'Sign in again'],
    ['a revocation', { refresh: { ...valid, state: 'revoked' } }, 'unknown', 'Revoked'],
    [
      'a revocation that nobody confirmed',
      { refresh: { ...valid, state: 'revoke-unconfirmed' } },
      'critical',
      'Revocation not confirmed',
    ],
    [
      'a token that is on no disk',
      { refresh: { ...valid, unsaved: 'the disk is full' } },
      'critical',
      'New refresh token not saved',
    ],
    [
      'a token that could not be refreshed',
      { access: { state: 'expired', expiresAt: NOW_MS - 1000, scopes: [] } },
      'warning',
      'Access token expired',
    ],
    [
      'an unreachable service',
      { service: { reachable: false, host: 'h' } },
      'warning',
      'Service unreachable',
    ],
    [
      'numbers from an old header',
      { requests: [row('Accounts', { observedAt: NOW_MS - 125_000 })] },
      'unknown',
      'not checked',
    ],
  ])('with %s are one, and the headline is about it', (_, more, severity, text) => {
    expect(found(more)).toEqual([[severity, text]])
    const { headline: said, severity: shown } = headline(calm(more), NOW_MS)
    expect(shown).toBe(severity)
    expect(said).not.toMatch(/^No (checked )?quota/)
  })

  it('are the worst first; a key without a sign-in before all else', () => {
    const blocked = row('Positions', { state: 'blocked', blockedUntil: NOW_MS + 40_000 })
    const all = {
      requests: [row('A', { state: 'low' }), blocked],
      slots: [slots('Option Chain Stream', 10, 10, 0)],
      streams: streams('live', 'stale'),
      service: { reachable: false, host: 'h' },
    }
    expect(found(all).map(([, text]) => text)).toEqual([
      'Positions 429',
      'Option Chain Stream full',
      'Service unreachable',
      'A low',
      'Streams 1 of 2 silent',
    ])
    expect(found({ ...all, refresh: { ...valid, state: 'revoked' } })[0]).toEqual(['unknown', 'Revoked'])
    expect(keyStatus(calm(all), NOW_MS).others).toBe(4)
    expect(headline(calm(all), NOW_MS).headline).toBe(
      'Positions was refused (429). Safe to retry at 14:31:45, in 40 s. ' +
        'Also full: Option Chain Stream; Service unreachable; low: A (could run out); +1 more.',
    )
  })

  it('leave out what is no trouble: a reconnection of a moment, and a count of slots that is old', () => {
    const again = stream('s', 'Order Stream', 'SIM1', { state: 'waiting', lastFrameAt: NOW_MS - 14_000 })
    const old = { ...slots('Option Chain Stream', 10, 10, 0), observedAt: NOW_MS - 601_000 }
    expect(found({ streams: [again], slots: [old] })).toEqual([])
    const { lastFrameAt: _, ...first } = stream('a', 'Order Stream', 'A', { state: 'opening' })
    expect(found({ streams: [...streams('closed'), first] })).toEqual([])
    // One that is opened again and again brings no data between its attempts either.
    expect(found({ streams: streams('opening') })).toEqual([['warning', 'Streams 1 of 1 silent']])
  })

  it('take a token and streams as they were pushed, where the push is old', () => {
    const later = NOW_MS + 3_600_000
    const texts = keyFindings(calm(), later).map(shortText)
    expect(texts).toEqual(['not checked'])
  })
})

it('each part of a key’s health has a word, and the severity of its worst finding', () => {
  const parts = (more: Partial<Snapshot> = {}) =>
    aspectStatuses(calm(more), NOW_MS).map(({ name, severity, label }) => `${name} ${label} ${severity}`)
  expect(parts()).toEqual([
    'Sign-in ok ok',
    'Service ok ok',
    'Streams ok ok',
    'Slots ok ok',
    'Quotas ok ok',
    'Data 6 s old ok',
  ])
  expect(
    parts({
      requests: [row('Positions', { state: 'empty', observedAt: NOW_MS - 240_000 })],
      refresh: { ...valid, state: 'revoke-unconfirmed' },
      service: { reachable: false, host: 'h' },
      streams: streams('live', 'stale'),
      slots: [slots('Option Chain Stream', 10, 10, 0), slots('MarketDepth Stream', 10, 10, 0)],
    }),
  ).toEqual([
    'Sign-in revocation not confirmed critical',
    'Service unreachable warning',
    'Streams 1 silent warning',
    'Slots 2 full critical',
    'Quotas empty critical',
    'Data 4 min old unknown',
  ])
  expect(parts({ streams: [], requests: [] }).slice(2)).toEqual([
    'Streams none unknown',
    'Slots ok ok',
    'Quotas not checked unknown',
    'Data none yet unknown',
  ])
})
