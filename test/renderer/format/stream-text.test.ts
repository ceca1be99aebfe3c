import { expect, it } from 'vitest'
import { streamReason, unservedText } from '../../../renderer/format/stream-text.ts'
import { NOW_MS, stream } from '../fixtures.ts'

it('shows why a stream waits and when it retries', () => {
  const waiting = stream('s', 'Quote Change Stream', 'MSFT', {
    state: 'waiting',
    reason: 'connection lost',
    retryAt: NOW_MS + 4000,
  })
  expect(streamReason(waiting, NOW_MS)).toBe('connection lost · next try in 4 s')
  expect(streamReason({ ...waiting, state: 'live' }, NOW_MS)).toBe('')
})

it('names the symbols without data, by the service’s error', () => {
  const at = NOW_MS
  const symbolErrors = [
    { symbol: 'NOPE', error: 'EX_INVALID_SYMBOL', at },
    { symbol: 'ESH26', error: 'EX_NOT_ENTITLED', at },
    { symbol: 'NIX', error: 'EX_INVALID_SYMBOL', at },
    { symbol: 'NOPE', error: 'EX_INVALID_SYMBOL', at },
  ]
  expect(unservedText(stream('s', 'Quote Change Stream', 'MSFT', { symbolErrors }))).toBe(
    'NOPE and NIX rejected: invalid symbol (EX_INVALID_SYMBOL) · ESH26 rejected: not entitled (EX_NOT_ENTITLED)',
  )
  const other = [{ symbol: 'NOPE', error: 'try later', at }]
  expect(unservedText(stream('s', 'Quote Change Stream', 'MSFT', { symbolErrors: other }))).toBe(
    'NOPE rejected: try later',
  )
  expect(unservedText(stream('s', 'Quote Change Stream', 'MSFT'))).toBe('')
})
