import '../../renderer/utc.ts'
import { describe, expect, it } from 'vitest'
import {
  glanceLines,
  glanceNote,
  glanceNumber,
  keyLines,
  refusalsSince,
} from '../../../app/conditions/glance.ts'
import { keyFindings } from '../../../app/conditions/key-status.ts'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { allowanceOf } from '../../../app/status/allowance.ts'
import { CALM_REQUESTS, NOW_MS, quota, slots, snapshot, stream } from '../../renderer/fixtures.ts'

const row = (more: Parameters<typeof quota>[4] = {}) => quota('Positions', 320, 300, 55, more)
const ENDS = { emptyFrom: NOW_MS + 214_000, emptyTo: NOW_MS + 298_000 }
const WAITS = stream('w', 'Order Stream', 'W', { state: 'waiting', reasonCode: 'no-slot' })
const of = (more: Partial<Snapshot>) => snapshot({ requests: CALM_REQUESTS, ...more })
const { refresh } = snapshot()

it('shows in short lines when, how fast to call, and who uses it', () => {
  const use = { total: 2, own: 0.1, elsewhere: 1.9 }
  const safe = { everySeconds: null, burst: 0 }
  expect(glanceLines(row({ state: 'running-out', use, safe }), 'about 03:40', NOW_MS)).toEqual([
    'about 03:40, 0 now, then none',
    'others 1.9/s, refill 1.07/s',
  ])
  const slow = { everySeconds: 1.9, burst: 36 }
  const alone = { total: 0.1, own: 0.1, elsewhere: 0 }
  expect(glanceLines(row({ state: 'low', use: alone, safe: slow }), '17 %', NOW_MS)).toEqual([
    '17 %, 36 now, then 1 per 1.9 s',
    'own 0.1/s, refill 1.07/s',
  ])
  // After a 429 the large number is the pace.
  const held = row({ state: 'blocked', blockedUntil: NOW_MS + 40_000, use, safe: slow })
  expect(glanceLines(held, 'until 14:31:52', NOW_MS)).toEqual([
    'until 14:31:52',
    'others 1.9/s, refill 1.07/s',
  ])
  expect(glanceLines(row({ state: 'low', use: null }), '', NOW_MS).at(-1)).toBe(
    'still measuring other traffic, refill 1.07/s',
  )
})

it.each<[string, Partial<Snapshot>, string, string]>([
  [
    'a 429',
    { requests: [row({ state: 'blocked', blockedUntil: NOW_MS + 40_000 })] },
    'safe to retry in',
    '0:40',
  ],
  [
    '429 until others slow down',
    { requests: [row({ state: 'blocked', remaining: 22, low: 0, high: 59 })] },
    'can be sent now',
    '0',
  ],
  [
    'a 429 that is over',
    { requests: [row({ state: 'blocked', blockedUntil: NOW_MS })] },
    'safe to retry',
    'now',
  ],
  [
    'a quota that runs out',
    { requests: [row({ ...ENDS, state: 'running-out' })] },
    'runs out 14:34–14:36',
    '3–5 min',
  ],
  [
    'a quota that runs out at some time',
    { requests: [row({ state: 'running-out', use: null })] },
    'empty in',
    '10 min',
  ],
  [
    'a quota that may run out and may last',
    { requests: [row({ emptyFrom: NOW_MS + 214_000, state: 'running-out' })] },
    'runs out at 14:34 or later',
    '3 min',
  ],
  ['a watched quota', { requests: [row({ ...ENDS, state: 'watch' })] }, 'left', '17 %'],
  ['a low quota', { requests: [row({ state: 'low' })] }, 'left', '17 %'],
  [
    'an empty quota',
    { requests: [row({ state: 'empty', level: 0, remaining: 0, low: 0, high: 0 })] },
    'left',
    '0',
  ],
  ['a sign-in that ends', { refresh: { ...refresh, endsAt: NOW_MS + 90_000 } }, 'sign-in ends in', '1:30'],
  ['an ended sign-in', { refresh: { ...refresh, state: 'sign-in-required' } }, '', ''],
  ['full slots', { slots: [slots('Option Chain Stream', 10, 10, 0)] }, 'slots free', '0'],
  [
    'silent streams',
    { streams: [stream('a', 'Order Stream', 'A', { state: 'stale' }), stream('b', 'Order Stream', 'B')] },
    'streams silent',
    '1/2',
  ],
  [
    'streams that keep restarting',
    { streams: [stream('a', 'Order Stream', 'A', { recentRestarts: 3 }), stream('b', 'Order Stream', 'B')] },
    'streams restarting',
    '1/2',
  ],
  [
    'a stream that waits for a slot',
    { streams: [WAITS, stream('b', 'Order Stream', 'B')] },
    'streams waiting',
    '1/2',
  ],
  [
    'a service that fails',
    { requests: CALM_REQUESTS.map((one) => ({ ...one, problem: { status: 503, since: NOW_MS - 65_000 } })) },
    'failing for',
    '1:05',
  ],
  [
    'a service that does not answer',
    { service: { reachable: false, host: 'h', since: NOW_MS - 65_000 } },
    'silent for',
    '1:05',
  ],
  ['no data', { requests: [] }, '', ''],
  ['a healthy key', {}, 'tightest: Option Expirations', '58–61 %'],
])('the number of %s is the one that matters', (_, more, caption, value) => {
  expect(glanceNumber(of(more), NOW_MS)).toEqual({ caption, value })
})

it('a card says how long, how many or how much', () => {
  const requests = [
    row({ ...ENDS, state: 'running-out' }),
    quota('Quote Snapshot', 500, 300, 85, { state: 'low' }),
    quota('Option Strikes', 90, 60, 0, { state: 'empty' }),
  ]
  const findings = keyFindings(of({ requests, slots: [slots('Option Chain Stream', 10, 10, 0)] }), NOW_MS)
  expect(findings.map((finding) => `${finding.subject} ${glanceNote(finding, NOW_MS)}`)).toEqual([
    'Option Strikes 0',
    'Positions 14:34–14:36',
    'Option Chain Stream 10/10',
    'Quote Snapshot 17 %',
  ])
})

describe('the table of keys', () => {
  const key = (name: string, more: Partial<Snapshot>) =>
    of({ profile: { id: name, name, environment: 'live' }, ...more })

  it('lists the worst first, each with state, tightest quota, 429s, streams and sign-in', () => {
    const lines = keyLines(
      [
        key('archive', { requests: [], streams: [], refresh: { ...refresh, state: 'none' } }),
        key('calm', { streams: [] }),
        key('low', { requests: [row({ state: 'low' })] }),
        key('blocked', {
          requests: [row({ state: 'blocked', blockedUntil: NOW_MS + 40_000 })],
          streams: [
            stream('a', 'Order Stream', 'A', { state: 'stale' }),
            stream('b', 'Order Stream', 'B'),
            stream('c', 'Order Stream', 'C', { state: 'closed' }),
          ],
        }),
        key('full', {
          slots: [slots('Option Chain Stream', 10, 10, 0)],
          streams: [
            stream('w', 'Option Chain Stream', 'W', {
              state: 'waiting',
              reasonCode: 'no-slot',
              lastFrameAt: NOW_MS - 60_000,
            }),
          ],
        }),
      ],
      NOW_MS,
      { blocked: 7 },
    )
    expect(lines.map(({ id }) => id)).toEqual(['archive', 'blocked', 'low', 'full', 'calm'])
    expect(lines[1]).toEqual({
      id: 'blocked',
      severity: 'critical',
      state: '429',
      tightest: 'Positions',
      left: 'none',
      note: '14:31:45',
      refusals: 7,
      silent: '1 of 2',
      signInBy: 'Sat 09:12',
    })
    expect(lines[3]).toMatchObject({ state: 'Option chains full', tightest: 'Option Expirations' })
    expect(lines[4]).toMatchObject({ state: 'ok', silent: '', note: '58–61 %' })
    expect(lines[3]).toMatchObject({ silent: '0 of 1' })
    expect(lines[0]).toMatchObject({ state: 'Signed out', tightest: '', left: '', signInBy: 'signed out' })
  })

  it.each<[string, Parameters<typeof quota>[4]]>([
    ['none until 14:31:45', { blockedUntil: NOW_MS + 40_000 }],
    ['none until others slow down', { nextTryAt: NOW_MS + 20_000 }],
    ['retry now', { blockedUntil: NOW_MS - 1_000 }],
  ])('shows "%s" after a 429, as the row itself does', (text, more) => {
    const blocked = row({ state: 'blocked', low: 0, high: 59, ...more })
    const [line] = keyLines([key('blocked', { requests: [blocked] })], NOW_MS)
    expect([line?.left, line?.note].filter(Boolean).join(' until ')).toBe(text)
    expect(allowanceOf(blocked, NOW_MS).text).toBe(text)
  })
})

describe('the 429s of a key since a moment', () => {
  const refused = (at: number, more: object = {}): LoggedEvent => ({
    kind: 'rate-limited',
    seq: at,
    at,
    profile: 'a',
    category: 'Positions',
    retryAt: at + 1,
    ...more,
  })

  it('counts each 429 of quotas and slots once, without other keys and earlier ones', () => {
    const stored = { ...refused(20, { requestId: 'q' }), seq: 99 }
    const full = { kind: 'slots-exhausted', seq: 1, at: 30, profile: 'a', category: 'Order Stream' } as const
    const events = [refused(9), refused(10), refused(20, { requestId: 'q' }), stored, full]
    const others = [refused(40, { profile: 'b' }), { ...full, profile: 'b' }]
    expect(refusalsSince([...events, ...others], 'a', 10)).toBe(3)
    expect(refusalsSince(events, 'c', 10)).toBe(0)
  })
})
