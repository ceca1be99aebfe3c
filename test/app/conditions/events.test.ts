import '../../renderer/utc.ts'
import { describe, expect, it } from 'vitest'
import { eventSentence } from '../../../app/conditions/event-sentence.ts'
import type { LoggedEvent, MonitorEvent } from '../../../app/contract/events.ts'
import { NOW_MS } from '../../renderer/fixtures.ts'

const said = (event: MonitorEvent, stored: 'sealed' | 'memory' = 'sealed') =>
  eventSentence({ ...event, seq: 1, at: NOW_MS, profile: 'main' } as LoggedEvent, { stored })

const short = {
  kind: 'quota-short',
  category: 'Positions',
  limit: 320,
  remaining: 61,
  othersLow: 1.2,
  othersHigh: 1.3,
  refill: 1.07,
} as const
const orders = { stream: 's1', category: 'Order Stream', target: '123456782' } as const
const depth = { stream: 's3', category: 'MarketDepth Stream', target: 'MSFT' } as const

describe('events in plain words', () => {
  it.each<[MonitorEvent, string, string]>([
    [
      { kind: 'token-refreshed', rotated: false, expiresAt: NOW_MS + 1_200_000 },
      'ok',
      'Access token renewed · valid until 14:51:05',
    ],
    [
      { kind: 'token-refreshed', rotated: true, expiresAt: NOW_MS },
      'ok',
      'Access token renewed · refresh token rotated, saved',
    ],
    [
      { kind: 'token-refresh-failed', outcome: 'later', retryAt: NOW_MS + 5000 },
      'warning',
      'Token renewal failing · the sign-in host asks to wait · next try at 14:31:10',
    ],
    [
      { kind: 'token-refresh-failed', outcome: 'malformed', why: 'the access token cannot be used' },
      'warning',
      'Token renewal failing · unreadable response · the access token cannot be used',
    ],
    [
      { kind: 'token-refresh-failed', outcome: 'refused' },
      'critical',
      'Refresh token rejected · sign in again',
    ],
    [
      { kind: 'sign-in-required', reason: 'the answer was lost' },
      'critical',
      'Signed out · the answer was lost',
    ],
    [
      {
        kind: 'sign-in-required',
        reason: 'the service does not accept this API key',
        cause: 'misconfigured',
      },
      'critical',
      'Key rejected · the service does not accept this API key',
    ],
    [{ kind: 'revoked' }, 'ok', 'Tokens revoked · confirmed by the service'],
    [
      { kind: 'revoke-unconfirmed', reason: 'the service responded 503', retryAt: NOW_MS + 65_000 },
      'critical',
      'Revocation not confirmed · the service responded 503 · next try at 14:32:10',
    ],
    [
      { kind: 'service-unreachable', host: 'api.example.com', retryAt: NOW_MS + 1000 },
      'warning',
      'Sign-in host unreachable · api.example.com · retrying',
    ],
    [
      { kind: 'service-unreachable', host: 'api.example.com', retryAt: NOW_MS + 1000, serves: 'calls' },
      'critical',
      'Service unreachable · api.example.com · retrying',
    ],
    [{ kind: 'service-back', host: 'api.example.com' }, 'ok', 'api.example.com responds again'],
    [{ kind: 'desk-member-joined', name: 'LAPTOP' }, 'ok', 'LAPTOP joined the desk'],
    [{ kind: 'desk-member-left', name: 'LAPTOP' }, 'unknown', 'LAPTOP left the desk'],
    [{ kind: 'desk-member-lost', name: 'LAPTOP' }, 'watch', 'LAPTOP doesn’t respond'],
    [{ kind: 'desk-alone', why: 'timed out after 1 s' }, 'warning', 'Desk unreachable · timed out after 1 s'],
    [
      { kind: 'desk-alone', why: 'SERVER replaced the secret', refusal: 'rotated' },
      'warning',
      'No longer on the desk · SERVER replaced the secret',
    ],
    [
      { kind: 'desk-alone', why: 'LAPTOP has an older version.', refusal: 'update-there' },
      'warning',
      'Versions differ on the desk · LAPTOP has an older version',
    ],
    [{ kind: 'desk-dispatcher', name: 'SERVER' }, 'ok', 'SERVER dispatches the desk’s queue'],
    [
      { kind: 'desk-alone', why: 'No machine dispatches the desk’s queue.', reachable: true },
      'watch',
      'No machine dispatches the desk’s queue',
    ],
    [{ kind: 'desk-back', since: NOW_MS - 60_000 }, 'ok', 'On the desk again · after 1 min 0 s'],
    [{ kind: 'desk-back', since: NOW_MS - 60_000, left: true }, 'unknown', 'Left the desk'],
    [{ kind: 'storage-problem', what: 'the disk is full' }, 'critical', 'Storage problem · the disk is full'],
    [
      { kind: 'rate-limited', category: 'Quote Snapshot', retryAt: NOW_MS + 60_000 },
      'critical',
      '429 on Quote Snapshot · safe to retry at 14:32:05',
    ],
    [
      { kind: 'slots-exhausted', category: 'Positions Stream' },
      'warning',
      'Positions: all slots in use · a stream is waiting',
    ],
    [
      { kind: 'stream-opened', streamKind: 'depth', ...depth, reason: 'opened' },
      'ok',
      'Depth quotes stream opened · MSFT',
    ],
    [
      { kind: 'stream-restarted', streamKind: 'depth', ...depth, reason: 'server going away' },
      'ok',
      'Depth quotes stream reconnected (GoAway) · MSFT',
    ],
    [
      { kind: 'stream-closed', ...depth, reason: 'closed by you' },
      'unknown',
      'Depth stream closed by you · MSFT',
    ],
    [{ kind: 'elsewhere', category: 'Positions', perSecond: 1 }, 'warning', 'Others active on Positions'],
    [
      { kind: 'elsewhere-ended', category: 'Positions', perSecond: 1.2, since: NOW_MS - 480_000 },
      'ok',
      'Others stopped using Positions · 1.2/s for 8 min 0 s',
    ],
    [
      { kind: 'program-refused', program: 'bot', category: 'Positions', retryAt: NOW_MS + 60_000 },
      'warning',
      'bot timed out in the queue · Positions · next slot 14:32:05',
    ],
    [{ kind: 'window-admitted', window: 'w', open: 1 }, 'ok', 'Browser window connected · the only one'],
    [
      {
        kind: 'slots-exhausted',
        category: 'Option Chain Stream',
        proposal: {
          stream: 's',
          streamKind: 'option-chains',
          target: 'MSFT',
          openedAt: NOW_MS - 41_000,
          framesPerSecond: 1.8,
        },
      },
      'warning',
      'Option chains: all slots in use · quietest: Option chain · MSFT, open for 41 s, 1.8/s',
    ],
    [
      { kind: 'slots-free', category: 'Option Chain Stream', since: NOW_MS - 60_000 },
      'ok',
      'Option chains: no stream is waiting · full for 1 min 0 s',
    ],
    [
      { kind: 'stream-resumed', ...orders, since: NOW_MS - 35_000 },
      'ok',
      'Orders stream: receiving data again · 123456782 · silent for 35 s',
    ],
    [{ kind: 'program-cut', program: 'bot' }, 'unknown', 'Program bot removed'],
    [{ kind: 'gateway-on', url: 'http://127.0.0.1:4791' }, 'ok', 'Gateway on · at http://127.0.0.1:4791'],
    [
      { kind: 'gateway-off', why: 'the gateway was turned off' },
      'unknown',
      'Gateway off · the gateway was turned off',
    ],
    [
      { kind: 'rate-limit-over', category: 'Positions', since: NOW_MS - 108_000, refused: 1 },
      'ok',
      'Positions responds again · 429 ×1 in 1 min 48 s',
    ],
    [
      { ...short, state: 'running-out', emptyAt: NOW_MS + 210_000 },
      'warning',
      'Positions running out · began with others 1.2–1.3/s, refill 1.07/s',
    ],
    [
      { ...short, state: 'running-out', emptyAt: NOW_MS + 100_000 },
      'critical',
      'Positions running out · began with others 1.2–1.3/s, refill 1.07/s',
    ],
    [{ ...short, state: 'empty' }, 'critical', 'Positions empty · others use the whole refill'],
    [
      { ...short, state: 'empty', othersLow: 0.4 },
      'critical',
      'Positions empty · began with others 0.4–1.3/s, refill 1.07/s',
    ],
    [{ ...short, state: 'low' }, 'warning', 'Positions low · began with 61 of 320 left'],
    [
      { kind: 'quota-short-ended', category: 'Positions', state: 'running-out', since: NOW_MS - 210_000 },
      'ok',
      'Positions recovered · running out for 3 min 30 s',
    ],
    [
      {
        kind: 'stream-restarted',
        streamKind: 'depth',
        ...depth,
        reason: 'server going away',
        overlapped: true,
      },
      'ok',
      'Depth quotes stream reconnected (GoAway) · MSFT · nothing missed',
    ],
    [
      { kind: 'stream-restarted', streamKind: 'orders', ...orders, reason: 'silent for 30 s' },
      'ok',
      'Orders stream reconnected · 123456782 · silent for 30 s · new snapshot',
    ],
    [
      { kind: 'stream-restarted', streamKind: 'depth', ...depth, reason: 'restarted by you' },
      'ok',
      'Depth quotes stream restarted by you · MSFT',
    ],
  ])('%j', (event, severity, text) => {
    const { title, detail, ...sentence } = said(event)
    expect(sentence).toEqual({ severity, text })
    // The sentence consists of the two lines, so that all surfaces say the same.
    expect(detail === '' ? title : `${title} · ${detail}`).toBe(text)
  })

  it('does not say saved for a token in memory', () => {
    const refreshed = { kind: 'token-refreshed', rotated: true, expiresAt: NOW_MS } as const
    expect(said(refreshed, 'memory').text).toBe('Access token renewed · refresh token rotated, in memory')
  })

  it('includes the request id of a 429', () => {
    const event = {
      kind: 'rate-limited',
      category: 'Positions',
      retryAt: NOW_MS,
      requestId: 'a9c1e2',
    } as const
    expect(said(event).requestId).toBe('a9c1e2')
  })
})
