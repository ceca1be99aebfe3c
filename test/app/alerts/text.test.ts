import '../../renderer/utc.ts'
import { describe, expect, test } from 'vitest'
import { severityOf } from '../../../app/alerts/kinds.ts'
import { alertText } from '../../../app/alerts/text.ts'
import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import { NOW_MS, quota, snapshot } from '../../renderer/fixtures.ts'

const use = { total: 1.25, own: 0, elsewhere: 1.25, elsewhereLow: 1.2, elsewhereHigh: 1.3 }
const shown = (more: Partial<RequestQuota>) =>
  snapshot({ requests: [quota('Positions', 320, 300, 68, { use, low: 61, high: 75, ...more })] })

describe('an alert', () => {
  test('says how things stand now, not how they stood when it was raised', () => {
    const raised = shown({ state: 'running-out', emptyAt: NOW_MS + 214_000 })
    const text = (at: typeof raised, nowMs = NOW_MS) => alertText('runs-out', 'Positions', at, nowMs)
    expect(text(raised)).toEqual({
      title: 'Positions running out',
      body: 'Positions runs out in 3 min 30 s. 68 of 320 left on Main key. Others use 1.2–1.3/s; it refills 1.07/s.',
    })
    expect(text(raised, NOW_MS + 30_000).body).toMatch(/^Positions runs out in 3 min 0 s\./)
    expect(text(shown({ state: 'ok', use: null })).body).toBe(
      'Positions is ok. 68 of 320 left on Main key. Use by others is not known yet.',
    )
  })

  test('of a 429 says when it is safe to retry', () => {
    const blocked = shown({ state: 'blocked', blockedUntil: NOW_MS + 46_000 })
    const { title, body } = alertText('blocked', 'Positions', blocked, NOW_MS)
    expect(title).toBe('Positions 429')
    expect(body).toMatch(/^Positions was refused \(429\)\. Safe to retry at 14:31:51, in 46 s\./)
  })

  test('of what runs out is urgent within two minutes', () => {
    const of = (seconds: number) =>
      severityOf(
        'runs-out',
        'Positions',
        shown({ state: 'running-out', emptyAt: NOW_MS + seconds * 1000 }),
        NOW_MS,
      )
    expect([of(121), of(120)]).toEqual(['warning', 'critical'])
    expect(severityOf('empty', 'Positions', shown({ state: 'empty' }), NOW_MS)).toBe('critical')
  })

  test('of a rejected key says what to correct, and not to sign in', () => {
    const at = snapshot()
    const ended = { ...at.refresh, state: 'sign-in-required', reason: 'it was refused' } as const
    const said = (refresh: typeof at.refresh) => alertText('sign-in-required', '', { ...at, refresh }, NOW_MS)
    expect(said(ended)).toMatchObject({
      title: 'Signed out: Main key',
      body: 'It was refused. Sign in to resume checks and streams.',
    })
    const { title, body } = said({ ...ended, cause: 'misconfigured' })
    expect(title).toMatch(/^Key rejected/)
    expect(body).toBe('It was refused. Correct the secret, or connect the right key.')
  })

  test('of a sign-in that ends says when it ends, which is no time to sign in at', () => {
    const at = snapshot()
    const refresh = { ...at.refresh, endsAt: NOW_MS + 250_000 }
    expect(alertText('sign-in-15min', '', { ...at, refresh }, NOW_MS)).toEqual({
      title: 'The sign-in ends in 4 min 10 s',
      body: 'Sign in again on Main key before then, and nothing stops. No refresh can extend it.',
    })
  })
})
