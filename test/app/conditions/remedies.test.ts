import '../../renderer/utc.ts'
import { describe, expect, it } from 'vitest'
import { keyFindings } from '../../../app/conditions/key-status.ts'
import { LOST_HOST } from '../../../app/contract/key-health.ts'
import {
  type RequestQuota,
  SIGN_IN_TO_REVOKE,
  type SlotQuota,
  type Snapshot,
} from '../../../app/contract/snapshot.ts'
import { exampleProgram } from '../../main/hosts/terminal/example-snapshot.ts'
import { NOW_MS, quota, snapshot, stream } from '../../renderer/fixtures.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'

const remedyOf = (at: Snapshot | undefined) => at && keyFindings(at, NOW_MS)[0]?.remedy

describe('the button of a headline', () => {
  it.each([
    ['saved keys damaged', 'Sign in'],
    ['saved keys damaged, none by name', 'Connect again'],
    ['keyring locked', 'Unlock'],
    ['no keyring', 'Unlock'],
    ['passphrase missing', undefined],
    ['disk full', 'Open data folder'],
    ['order outcome unknown', 'Dismiss'],
    ['orders can’t be recorded', 'Open data folder'],
    ['orders stopped here', 'Allow orders…'],
    ['orders without the Trade scope', 'Allow orders…'],
    ['token not saved', 'Save now'],
    ['both hosts unreachable', 'Try now'],
    ['desk unreachable', 'Try now'],
    ['desk without a dispatcher', undefined],
    ['signed out', 'Sign in'],
    ['token rejected (401)', 'Change host…'],
    ['permission missing (403)', 'Sign in with ReadAccount'],
    ['no stream receives data', 'Reopen all'],
    ['others use the whole refill, 429', undefined],
  ])('of "%s" is "%s"', (day, label) => {
    expect(BAD_DAYS).toHaveProperty([day])
    expect(remedyOf(BAD_DAYS[day])?.label).toBe(label)
  })

  it('of a damaged key whose addresses are lost is to connect it, because a sign-in has no host', () => {
    const damaged = snapshot({ keystore: 'record-corrupt', service: { reachable: false, host: LOST_HOST } })
    expect(remedyOf(damaged)?.label).toBe('Connect again')
    expect(keyFindings(damaged, NOW_MS)[0]).toMatchObject({
      action: 'Connect the key again, then disconnect this entry.',
    })
  })

  it('of a revocation with a token that the service rejects is to sign in, which nothing else can help', () => {
    const refresh = { ...snapshot().refresh, state: 'revoke-unconfirmed' as const }
    const rejected = snapshot({ refresh: { ...refresh, reason: SIGN_IN_TO_REVOKE } })
    expect(remedyOf(rejected)?.label).toBe('Sign in')
    expect(keyFindings(rejected, NOW_MS)[0]).toMatchObject({
      action: 'Sign in, then revoke again.',
      detail: '',
    })
    const failed = snapshot({ refresh: { ...refresh, reason: 'the service responded 503' } })
    expect(remedyOf(failed)?.label).toBe('Try now')
  })

  it('of a revocation that waits for a person is not to wait', () => {
    const refresh = { ...snapshot().refresh, state: 'revoke-unconfirmed', reason: 'not sent' } as const
    const of = (retryAt: object) => keyFindings(snapshot({ refresh: { ...refresh, ...retryAt } }), NOW_MS)[0]
    expect(of({})).toMatchObject({ action: 'Revoke again, or disconnect this key.', detail: 'Not sent.' })
    expect(of({ retryAt: NOW_MS })).toMatchObject({
      action: 'No action needed.',
      detail: 'Not sent. Retrying now.',
    })
  })

  it('replaces the quietest own stream of a full group that another one waits for', () => {
    const of = 'Option Chain Stream'
    const streams = [
      stream('s1', of, 'AAPL', { state: 'live', framesPerSecond: 3 }),
      stream('s2', of, 'MSFT', { state: 'live', framesPerSecond: 0.2 }),
      stream('s3', of, 'TSLA', { state: 'waiting', reasonCode: 'no-slot' }),
    ]
    const full = { ...(BAD_DAYS['slots full'] as Snapshot), streams }
    expect(remedyOf(full)).toEqual({ kind: 'replace-stream', label: 'Replace MSFT', target: 's2' })
    expect(keyFindings(full, NOW_MS)[0]).toMatchObject({
      action: 'Replace MSFT to open TSLA.',
      detail: 'MSFT is the quietest stream (0.2/s).',
    })
    const lost = stream('s3', of, 'TSLA', { state: 'waiting', reasonCode: 'connection-lost' })
    expect(remedyOf({ ...full, streams: [...streams.slice(0, 2), lost] })).toBeUndefined()
    const none = { ...full, streams: streams.slice(0, 2) }
    expect(remedyOf(none)).toBeUndefined()
    expect(keyFindings(none, NOW_MS)[0]?.action).toBe('Close a stream before you open another.')
    const [group] = none.slots.filter(({ free }) => free <= 0)
    const ofOthers = { ...none, slots: [{ ...group, own: 0 } as SlotQuota] }
    expect(keyFindings(ofOthers, NOW_MS)[0]?.action).toBe('Ask the others to close a stream.')
  })

  it('pauses the program that makes most of the use, once', () => {
    const use = { total: 2, own: 1.8, elsewhere: 0.2, programs: { p1: 1.5, p2: 0.3 } }
    const requests = [quota('Positions', 320, 0, 0, { state: 'empty', use })]
    const scanner = exampleProgram('scanner', { id: 'p1' })
    const at = snapshot({ requests, programs: [scanner, exampleProgram('bot', { id: 'p2' })] })
    expect(remedyOf(at)).toEqual({ kind: 'pause-program', label: 'Pause scanner 5 min', target: 'scanner' })
    const running = { state: 'running-out', use, emptyAt: NOW_MS + 300_000 } as const
    const paused = {
      ...at,
      requests: [quota('Positions', 320, 100, 100, running)],
      programs: [{ ...scanner, pausedUntil: NOW_MS + 60_000 }],
    }
    expect(remedyOf(paused)).toBeUndefined()
    expect(keyFindings(paused, NOW_MS)[0]?.action).toBe('scanner is paused until 14:32. No action needed.')
    // A program's rate is the mean of a minute, and grows slower than own use.
    const early = { ...use, programs: { p1: 0.4, p2: 0.1 } }
    expect(
      remedyOf({ ...at, requests: [quota('Positions', 320, 0, 0, { state: 'empty', use: early })] }),
    ).toEqual({ kind: 'pause-program', label: 'Pause scanner 5 min', target: 'scanner' })
    const others = { ...use, total: 4, elsewhere: 2.2 }
    const shared = [quota('Positions', 320, 0, 0, { state: 'empty', use: others })]
    expect(remedyOf({ ...at, requests: shared })).toBeUndefined()
  })

  it('names the program that makes most of the use, and not the smaller part', () => {
    const safe = { everySeconds: 1.4, burst: 0 }
    const said = (use: NonNullable<RequestQuota['use']>) => {
      const requests = [quota('Positions', 320, 20, 20, { state: 'low', use, safe })]
      const programs = [exampleProgram('scanner', { id: 'p1' }), exampleProgram('bot', { id: 'p2' })]
      const [first] = keyFindings(snapshot({ requests, programs }), NOW_MS)
      return `${first?.action} ${first?.detail}`
    }
    const use = { total: 1.1, own: 0.9, elsewhere: 0.2, programs: { p1: 0.3, p2: 0.6 } }
    expect(said(use)).toMatch(
      /^Slow bot to 1 per 2\.5 s\. Others on this key use about 0\.2\/s, you use 0\.9\/s \(bot 0\.6\); it refills/,
    )
    expect(said({ ...use, own: 0.1, elsewhere: 1, programs: { p1: 0.01 } })).toMatch(
      /^Slow to 1 per 1\.4 s\. Others on this key use about 1(?:\.0)?\/s, Headroom uses 0\.1\/s;/,
    )
  })
})
