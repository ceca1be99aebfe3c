import { describe, expect, it } from 'vitest'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { stripText } from '../../../renderer/strip/strip-text.ts'
import { NOW_MS, quota, slots, snapshot } from '../fixtures.ts'

const of = (changes: Partial<Snapshot>): Snapshot => snapshot(changes)
const options = quota('Option Strikes', 90, 60, 55)
const out = quota('Positions', 320, 300, 68, {
  low: 61,
  high: 75,
  state: 'running-out',
  emptyFrom: NOW_MS + 214_000,
  emptyTo: NOW_MS + 290_000,
})
const text = (...snapshots: readonly Snapshot[]) => stripText(snapshots, NOW_MS)

describe('the strip', () => {
  it('shows what is left of the worst row, its state and its duration', () => {
    expect(text(of({ requests: [options, out] }))).toEqual({
      severity: 'warning',
      label: 'running out',
      name: 'Positions',
      left: '68',
      bar: { low: 19.1, possible: 4.3 },
      note: 'running out 14:34–14:35',
      more: 0,
    })
  })

  it('shows when a rate-limited row is safe to retry, and no number to send', () => {
    const estimate = { remaining: 22, low: 0, high: 59 }
    const until = { state: 'blocked', blockedUntil: NOW_MS + 9_500 } as const
    const refused = quota('Positions', 320, 300, 22, { ...estimate, ...until })
    const { severity, note, left } = text(of({ requests: [refused, options] }))
    expect([severity, note, left]).toEqual(['critical', '429 10 s', undefined])
  })

  it('names the tightest while all are ok, and the age of the data if nothing is checked', () => {
    const unseen = quota('Balances', 320, 300, 1, { source: 'default', state: 'not-checked' })
    expect(text(of({ requests: [options, quota('Accounts', 320, 300, 300), unseen] }))).toEqual({
      severity: 'ok',
      label: 'ok',
      name: 'ok',
      note: 'tightest: Option Strikes 61 %',
      more: 0,
    })
    expect(text(of({ requests: [] }))).toMatchObject({ name: 'Quotas not checked', note: 'no data yet' })
    const old = quota('Accounts', 320, 300, 1, { state: 'not-checked', observedAt: NOW_MS - 250_000 })
    expect(text(of({ requests: [old] }))).toMatchObject({ severity: 'unknown', note: 'last data 4 min ago' })
    expect(text().name).toBe('No key connected')
  })

  it('marks a level grown from an old header', () => {
    const old = { ...out, state: 'low', observedAt: NOW_MS - 300_000 } as const
    expect(text(of({ requests: [old] }))).toMatchObject({ left: '~68', note: 'low 19–23 %' })
  })

  it('shows the most urgent profile, and its root cause first', () => {
    const refresh = { ...snapshot().refresh, state: 'sign-in-required' as const }
    const calm = of({ requests: [options] })
    const lost = of({
      service: { reachable: false, host: 'h' },
      requests: [options],
      profile: { ...calm.profile, name: 'Second' },
    })
    expect(text(calm, lost)).toMatchObject({
      severity: 'critical',
      name: 'Service unreachable',
      note: 'Second',
    })
    expect(text(calm, of({ refresh }), lost)).toMatchObject({ severity: 'critical', name: 'Signed out' })
    expect(text(of({ refresh: { ...refresh, cause: 'misconfigured' } })).name).toBe('API key rejected')
  })

  it('counts further problems, of all keys', () => {
    const full = of({ requests: [options], slots: [slots('Option Chain Stream', 10, 9, 1)] })
    expect(text(full).more).toBe(0)
    expect(text(of({ requests: [options] })).more).toBe(0)
    expect(text(of({ requests: [out] }), full).more).toBe(1)
    expect(text(full)).toMatchObject({
      severity: 'warning',
      name: 'Option chains full',
      note: '10/10',
    })
  })
})
