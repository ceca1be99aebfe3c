import '../utc.ts'
import { describe, expect, it } from 'vitest'
import { accessText, refreshText } from '../../../renderer/format/token-text.ts'
import { NOW_MS, snapshot } from '../fixtures.ts'

const { access, refresh } = snapshot()

describe('the lifelines', () => {
  it('show the remaining time of the access token and its refresh', () => {
    const words = accessText({ access }, NOW_MS)
    expect(words).toMatchObject({ value: '14 min 32 s', note: 'left', next: 'renews 14:43' })
    expect(words.left).toBeCloseTo(0.727, 3)
    expect(words.mark).toBeCloseTo(0.1, 3)
  })

  it('show when a renewal is due', () => {
    expect(accessText({ access: { ...access, refreshAt: NOW_MS } }, NOW_MS).next).toBe('renewal is due')
  })

  it('show that the renewal fails while the sign-in host is away', () => {
    const signInHost = { host: 'signin.example', why: 'refused', since: NOW_MS }
    expect(accessText({ access, signInHost }, NOW_MS)).toMatchObject({
      value: '14 min 32 s',
      next: 'renewal failing',
      severity: 'warning',
    })
  })

  it('show expired from the moment of expiry, whatever the last snapshot said', () => {
    expect(accessText({ access }, NOW_MS + 871_999).value).toBe('1 s')
    expect(accessText({ access }, NOW_MS + 872_000).value).toBe('expired')
  })

  it('show a sign-in that outlives its end as overdue', () => {
    const endsAt = refresh.endsAt ?? 0
    expect(refreshText(refresh, endsAt - 1).next).toBe('sign in by 09:12')
    expect(refreshText(refresh, endsAt)).toMatchObject({ value: 'overdue', next: 'sign in now', left: 0 })
  })

  it('show the deadline for signing in again', () => {
    expect(refreshText(refresh, NOW_MS)).toMatchObject({
      label: 'Refresh token, rotating',
      value: '18 h 41 min',
      note: 'left',
      next: 'sign in by Sat 09:12',
      kept: 'encrypted',
    })
  })

  it('show no end for a default key', () => {
    const words = refreshText(
      { state: 'valid', rotating: false, stored: 'memory', refreshesToday: 0 },
      NOW_MS,
    )
    expect(words).toMatchObject({
      label: 'Refresh token, default',
      kept: 'in memory',
      value: 'does not expire',
    })
  })

  it('show no time of expiry that is still to come, where the service ended the token early', () => {
    const ended = { ...access, state: 'expired' as const }
    expect(accessText({ access: ended }, NOW_MS)).toMatchObject({ value: 'expired', note: '', left: 0 })
    expect(accessText({ access: ended }, ended.expiresAt ?? 0).note).toMatch(/^at \d/)
  })

  it('do not call a token expired before the service has responded', () => {
    const words = refreshText({ ...refresh, state: 'sign-in-required', cause: 'misconfigured' }, NOW_MS)
    expect(words).toMatchObject({
      value: 'key rejected',
      note: 'paused',
      next: 'API key or secret rejected',
    })
    expect(refreshText({ ...refresh, state: 'sign-in-required' }, NOW_MS).value).toBe('signed out')
  })
})
