import { describe, expect, it } from 'vitest'
import type { RequestQuota, Snapshot } from '../../../app/contract/snapshot.ts'
import { clockTime, mostUrgent, trayLine } from '../../../main/desktop/tray-words.ts'
import { snapshotOf } from '../browser/fake-windows.ts'

const AT = new Date(2026, 0, 5, 14, 3, 9).getTime()
const row = (category: string, level: number, source: RequestQuota['source'] = 'header') =>
  ({ category, level, limit: 320, source }) as RequestQuota
const words = (changes: Partial<Snapshot>) => trayLine({ ...snapshotOf('p1', 1), ...changes })
const refresh = (state: Snapshot['refresh']['state']) =>
  words({ refresh: { ...snapshotOf('p1', 1).refresh, state } })

describe('a profile in the tray', () => {
  it('is its verdict, with a moment in place of a countdown', () => {
    expect(words({ verdict: { kind: 'unknown' } })).toEqual({ severity: 'unseen', words: 'Nothing seen yet' })
    expect(words({ verdict: { kind: 'near-limit', category: 'Positions' } })).toEqual({
      severity: 'watch',
      words: 'Positions is near its limit',
    })
    expect(words({ verdict: { kind: 'runs-out', category: 'Positions', at: AT } })).toEqual({
      severity: 'watch',
      words: 'Positions runs out at 14:03:09',
    })
    expect(words({ verdict: { kind: 'blocked', category: 'Accounts', at: AT } })).toEqual({
      severity: 'critical',
      words: 'Accounts is held to 14:03:09',
    })
    expect(clockTime(AT)).toBe('14:03:09')
  })

  it('names the tightest of the quotas that were seen', () => {
    const requests = [row('Accounts', 200), row('Positions', 195.9), row('Balances', 1, 'default')]
    expect(words({ verdict: { kind: 'lasts' }, requests }).words).toBe(
      'All quotas last · tightest: Positions 61 %',
    )
    expect(words({ verdict: { kind: 'lasts' } }).words).toBe('All quotas last')
  })

  it('is what stands in the way of knowing, before what is known', () => {
    expect(refresh('sign-in-required')).toEqual({ severity: 'critical', words: 'Sign in again' })
    const { refresh: one } = snapshotOf('p1', 1)
    expect(words({ refresh: { ...one, state: 'sign-in-required', cause: 'misconfigured' } }).words).toBe(
      'Key not accepted',
    )
    expect(refresh('revoke-unconfirmed').words).toBe('Revocation not confirmed')
    expect(refresh('revoked').words).toBe('Revoked')
    expect(words({ service: { reachable: false, host: 'h' } })).toEqual({
      severity: 'watch',
      words: 'Service unreachable',
    })
  })

  it('speaks for all when it is the most urgent, and the first does among equals', () => {
    const lines = (['ok', 'critical', 'watch', 'critical'] as const).map((severity, index) => ({
      severity,
      words: String(index),
    }))
    expect(mostUrgent(lines).words).toBe('1')
    expect(mostUrgent([]).words).toBe('No key connected')
  })
})
