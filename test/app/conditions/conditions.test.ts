import '../../renderer/utc.ts'
import { describe, expect, it } from 'vitest'
import { type Condition, conditionsOf, isStopped } from '../../../app/conditions/evaluate.ts'
import { aspectStatuses, healthOf, keyFindings } from '../../../app/conditions/key-status.ts'
import {
  CONDITION_KINDS,
  CONDITIONS,
  type ConditionKind,
  explains,
  kindRow,
} from '../../../app/conditions/kinds.ts'
import { messageOf } from '../../../app/conditions/messages/conditions.ts'
import type { RequestQuota, Snapshot } from '../../../app/contract/snapshot.ts'
import { proves } from '../../proof/proves.ts'
import { CALM_REQUESTS, NOW_MS, quota, slots, snapshot, stream } from '../../renderer/fixtures.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'

/** The root cause of each bad day, and the conditions that it explains. Its texts are in `golden.txt`. */
const CAUSES: Readonly<Record<string, readonly [root: ConditionKind, ...explained: ConditionKind[]]>> = {
  'saved keys damaged': ['keys-damaged', 'not-checked'],
  'saved keys damaged, none by name': ['keys-damaged', 'signed-out', 'not-checked'],
  'saved keys unreadable': ['keys-unreadable', 'not-checked'],
  'passphrase missing': ['keys-locked', 'not-checked'],
  'keyring locked': ['keys-locked', 'not-checked'],
  'keys sealed elsewhere': ['keys-sealed-elsewhere', 'not-checked'],
  'order outcome unknown': ['order-unknown'],
  'order not found': ['order-unknown'],
  'order found': ['order-unknown'],
  'orders can’t be recorded': ['orders-failed'],
  'orders stopped here': ['orders-stopped'],
  'orders without the Trade scope': ['orders-forbidden'],
  'disk full': ['history-paused'],
  'slots full on a desk': ['slots-full', 'streams-waiting'],
  'the desk uses a quota up': ['low'],
  'desk unreachable': ['desk-unreachable'],
  'desk secret replaced': ['desk-refused'],
  'another machine has a newer version': ['desk-refused'],
  'another user on the desk': ['desk-refused'],
  'revoked on another machine': ['signed-out', 'not-checked'],
  'no keyring': ['keyring-away'],
  'both hosts unreachable': ['hosts-unreachable', 'not-checked'],
  'sign-in host unreachable, access works': ['sign-in-host-unreachable'],
  'sign-in host unreachable, access expired': ['sign-in-host-gone', 'renewal-failing', 'not-checked'],
  'signed out': ['signed-out', 'not-checked'],
  'key not accepted': ['key-rejected', 'not-checked'],
  'revoked here': ['revoked', 'not-checked'],
  'revocation not confirmed': ['revocation-unconfirmed', 'not-checked'],
  'sign-in ends within the hour': ['sign-in-ends'],
  'sign-in past its end': ['sign-in-ends'],
  'token rejected (401)': ['token-rejected'],
  'permission missing (403)': ['permission-missing'],
  'service unreachable': ['service-unreachable', 'not-checked'],
  'service answers 503': ['service-failing'],
  'responses without rate-limit headers': ['no-headers'],
  'no stream receives data': ['no-stream-data', 'streams-silent'],
  'token not saved': ['token-not-saved'],
  'others use the whole refill, 429': ['others-use-refill', 'rate-limited'],
  'own programs use it up': ['own-use', 'running-out'],
  'slots full': ['slots-full', 'streams-waiting'],
  'a usual load ahead': ['usual-load', 'watch'],
}

describe('a usual load', () => {
  const kindsOf = (more: Partial<RequestQuota>) => {
    const at = NOW_MS + 60_000
    const row = quota('Positions', 320, 300, 200, { usualLoad: { at, perSecond: 1.4 }, ...more })
    return conditionsOf(snapshot({ requests: [row] }), NOW_MS).roots.map(({ kind }) => kind)
  }
  it('appears on a row that is ok, and explains a watch', () => {
    expect(kindsOf({ state: 'ok' })).toEqual(['usual-load'])
    expect(kindsOf({ state: 'watch' })).toEqual(['usual-load'])
  })
  it('does not appear once it has started, or on a row that is worse or unchecked', () => {
    expect(kindsOf({ state: 'ok', usualLoad: { at: NOW_MS, perSecond: 1.4 } })).toEqual([])
    expect(kindsOf({ state: 'low' })).toEqual(['low'])
    expect(kindsOf({ state: 'not-checked' })).not.toContain('usual-load')
  })
  it('is never an alert', () => {
    expect(kindRow('usual-load')?.alert).toBeUndefined()
  })
})

describe.each(Object.entries(CAUSES))('%s', (name, [root, ...explained]) => {
  const at = BAD_DAYS[name] as Snapshot
  const found = conditionsOf(at, NOW_MS)

  it('has one root cause, which programs receive too', () => {
    expect(found.roots.map(({ kind }) => kind)).toEqual([root])
    const [{ severity, title, text, action } = expect.fail('no finding')] = keyFindings(at, NOW_MS)
    const said = { severity, cause: root, title: `${title} ${text}`.trim(), action }
    expect(healthOf(at, NOW_MS)).toMatchObject(said)
  })

  it('explains its consequences, which are no headline', () => {
    expect(found.consequences.map(({ kind }) => kind)).toEqual(explained)
    proves('C2', { level: 2, cases: 1 })
  })

  it('leaves no part of a key that cannot call ok, and shows only what is known', () => {
    const stopped = isStopped(found)
    expect(stopped).toBe(CONDITIONS[root].stopsCalls)
    if (!stopped) return
    const parts = aspectStatuses(at, NOW_MS).filter(({ aspect }) => aspect === 'slots' || aspect === 'quotas')
    expect(parts.map((part) => part.severity)).toEqual(['unknown', 'unknown'])
    proves('C1', { level: 2, cases: 1 })
  })
})

it('every condition has words that end in something to do', () => {
  const row = CALM_REQUESTS[0] as RequestQuota
  for (const kind of CONDITION_KINDS) {
    const condition: Condition = { kind, severity: 'warning', subject: row.category, row, since: NOW_MS }
    const words = messageOf(condition, snapshot(), NOW_MS)
    expect(words.title, kind).not.toBe('')
    expect(words.name, kind).not.toBe('')
    expect(words.action, kind).toMatch(/\.$/)
    for (const part of Object.values(words)) expect(part, kind).not.toMatch(/undefined|NaN|\.\.|,\.|: \./)
  }
})

it('a token that is not saved says what to do about a full disk, and about a file that was removed', () => {
  const wanted = (unsaved: string) => {
    const { refresh, ...rest } = snapshot()
    const at: Snapshot = { ...rest, refresh: { ...refresh, unsaved } }
    return messageOf({ kind: 'token-not-saved', severity: 'critical' }, at, NOW_MS).action
  }
  expect(wanted('the disk is full')).toBe('Free some space before you quit Headroom.')
  expect(wanted('vault.db or vault.db-wal was removed or replaced')).toBe(
    'Put the file back and save before you quit Headroom.',
  )
  expect(wanted('the file is read-only')).toBe('Fix this before you quit Headroom.')
})

it('what explains a condition exists, and nothing explains itself or its own cause', () => {
  for (const kind of CONDITION_KINDS) {
    for (const effect of CONDITIONS[kind].explains) expect(CONDITION_KINDS).toContain(effect)
    for (const other of CONDITION_KINDS)
      if (explains(kind, other)) expect(explains(other, kind), `${kind} and ${other}`).toBe(false)
  }
})

const calm = (more: Partial<Snapshot> = {}) => snapshot({ requests: CALM_REQUESTS, ...more })
const kinds = (more: Partial<Snapshot>, nowMs = NOW_MS) =>
  conditionsOf(calm(more), nowMs).roots.map(({ kind, subject }) => [kind, subject].filter(Boolean).join(' '))

it('a key without trouble has no condition', () => {
  expect(kinds({})).toEqual([])
})

it('of unrelated causes the most severe is the headline; among equals, the upper one in the table', () => {
  const blocked = quota('Positions', 320, 300, 0, { state: 'blocked', blockedUntil: NOW_MS + 40_000 })
  const silent = stream('s', 'Order Stream', 'SIM1', { state: 'stale', lastFrameAt: NOW_MS - 60_000 })
  const more = {
    requests: [blocked, quota('A', 320, 300, 40, { state: 'low' })],
    slots: [slots('Option Chain Stream', 10, 2, 8)],
    streams: [silent, stream('t', 'Order Stream', 'SIM2')],
  }
  expect(kinds(more)).toEqual([
    'rate-limited Positions',
    'slots-full Option Chain Stream',
    'streams-silent',
    'low A',
  ])
  expect(kinds({ ...more, streams: [silent] })[0]).toBe('no-stream-data')
})

it('a cause about one quota explains only that quota', () => {
  const use = { total: 1.2, own: 0.1, elsewhere: 1.1 }
  const requests = [
    quota('Positions', 320, 300, 0, { state: 'blocked', use }),
    quota('Balances', 320, 300, 0, { state: 'empty' }),
  ]
  expect(kinds({ requests })).toEqual(['others-use-refill Positions', 'empty Balances'])
})

it('others use the whole refill from 95 % of it on', () => {
  const of = (elsewhere: number) => {
    const use = { total: elsewhere, own: 0, elsewhere }
    return kinds({ requests: [quota('Positions', 300, 300, 0, { state: 'empty', use })] })
  }
  expect(of(0.94)).toEqual(['empty Positions'])
  expect(of(0.95)).toEqual(['others-use-refill Positions'])
})

it('a waiting stream is not silent, and neither is a brief reconnection', () => {
  const live = stream('l', 'Order Stream', 'A')
  const waiting = (ageMs: number, more = {}) =>
    stream('w', 'Order Stream', 'B', { state: 'waiting', lastFrameAt: NOW_MS - ageMs, ...more })
  expect(kinds({ streams: [live, waiting(14_999)] })).toEqual([])
  expect(kinds({ streams: [live, waiting(15_000)] })).toEqual(['streams-waiting'])
  expect(kinds({ streams: [waiting(15_000)] })).toEqual(['no-stream-data'])
  const { lastFrameAt: _, ...first } = stream('f', 'Order Stream', 'C', { state: 'opening' })
  expect(kinds({ streams: [first] })).toEqual([])
  const unheard = { ...first, state: 'waiting' as const }
  expect(kinds({ streams: [unheard] })).toEqual([])
  expect(kinds({ streams: [live, unheard] })).toEqual([])
  expect(kinds({ streams: [unheard, waiting(15_000)] })).toEqual(['no-stream-data'])
  expect(kinds({ streams: [waiting(60_000, { reasonCode: 'no-slot' })] })).toEqual(['streams-waiting'])
})

it('slots that were never observed, or not recently, are no condition', () => {
  const old = { ...slots('Option Chain Stream', 10, 10, 0), observedAt: NOW_MS - 601_000 }
  expect(kinds({ slots: [old] })).toEqual([])
  expect(kinds({ slots: [slots('Option Chain Stream', 10, 10, 0, 'default')] })).toEqual([])
})

it('the end of a sign-in is a warning from an hour before, and critical from a quarter of an hour', () => {
  const { refresh } = snapshot()
  const of = (leftMs: number) =>
    conditionsOf(calm({ refresh: { ...refresh, endsAt: NOW_MS + leftMs } }), NOW_MS).roots[0]?.severity
  expect([of(3_600_001), of(3_600_000), of(900_001), of(900_000)]).toEqual([
    undefined,
    'warning',
    'warning',
    'critical',
  ])
})

it('evaluates tokens and streams as pushed, even if the push is old', () => {
  expect(kinds({}, NOW_MS + 3_600_000)).toEqual(['not-checked'])
})

it('the first refresh is no condition', () => {
  const refresh = { ...snapshot().refresh, state: 'unconfirmed' } as const
  expect(kinds({ refresh, access: { state: 'refreshing', scopes: [] } })).toEqual([])
  expect(kinds({ refresh, access: { state: 'none', scopes: [] } })).toEqual(['renewal-failing'])
})

it('once tokens are revoked, storing them is no longer a condition', () => {
  const revoked = { ...snapshot().refresh, state: 'revoked', stored: 'memory' } as const
  expect(kinds({ keystore: 'unprotected', refresh: revoked })).toEqual(['revoked'])
  expect(kinds({ keystore: 'unavailable', refresh: revoked })).toEqual(['revoked'])
})

it('does not warn again a person who chose to store nothing, or consented', () => {
  const memory = { ...snapshot().refresh, stored: 'memory' } as const
  expect(kinds({ keystore: 'memory', refresh: memory })).toEqual([])
  expect(kinds({ keystore: 'unprotected' })).toEqual([])
  expect(kinds({ keystore: 'unprotected', refresh: memory })).toEqual(['keyring-unprotected'])
})

it('a 401 is no condition during a refresh, and belongs to the sign-in host if that is unreachable', () => {
  const requests = CALM_REQUESTS.map((row) => ({ ...row, problem: { status: 401, since: NOW_MS - 1_000 } }))
  const { access } = snapshot()
  const signInHost = { host: 'signin.test', why: 'timed out', since: NOW_MS - 1_000 }
  expect(kinds({ requests })).toEqual(['token-rejected'])
  expect(kinds({ requests, access: { ...access, state: 'refreshing' } })).toEqual([])
  expect(kinds({ requests, signInHost })).toEqual(['sign-in-host-gone'])
})
