import { expect, test } from 'vitest'
import { answerOf, renewal } from '../scripted-http.ts'
import { MINUTE_MS, started } from './scripted-keeper.ts'

test('a rotated token is adopted: the next refresh sends it', async () => {
  const { keeper, sentTokens } = await started(
    [
      renewal('a1', { refresh_token: 'refresh-1' }),
      renewal('a2', { refresh_token: 'refresh-2' }),
      renewal('a3', { refresh_token: 'refresh-3' }),
    ],
    40 * MINUTE_MS,
  )
  expect(sentTokens()).toEqual(['refresh-0', 'refresh-1', 'refresh-2'])
  expect(keeper.refreshSummary()).toMatchObject({ state: 'valid', rotating: true })
})

test('a key whose responses contain no refresh token keeps its own', async () => {
  const { keeper, sentTokens } = await started([renewal('a1'), renewal('a2')], 20 * MINUTE_MS)
  expect(sentTokens()).toEqual(['refresh-0', 'refresh-0'])
  expect(keeper.refreshSummary().rotating).toBe(false)
})

test('a readable refresh token in an otherwise broken response is saved', async () => {
  const { sentTokens } = await started(
    [answerOf(200, { refresh_token: 'refresh-1', access_token: 7 }), renewal('a1')],
    2 * MINUTE_MS,
  )
  expect(sentTokens()).toEqual(['refresh-0', 'refresh-1'])
})

test('a malformed response is reported as such, not as an unreachable host, and is retried on a slow schedule', async () => {
  const bad = renewal('a\r\nb', { refresh_token: 'refresh-1' })
  const { clock, keeper, sentAtMs, sentTokens, events, reached } = await started(
    [bad, bad, renewal('a1')],
    500,
  )
  const why = 'the response has no usable access token'
  expect(events).toMatchObject([{ kind: 'token-refresh-failed', outcome: 'malformed', why }])
  expect(reached).toEqual([true])
  expect(keeper.refreshSummary()).toMatchObject({ state: 'unconfirmed', reason: why })
  await clock.advance(6 * MINUTE_MS)
  expect(sentAtMs).toEqual([0, 90_000, 315_000])
  expect(sentTokens()).toEqual(['refresh-0', 'refresh-1', 'refresh-1'])
  expect(keeper.refreshSummary()).toMatchObject({ state: 'valid' })
  expect(keeper.refreshSummary()).not.toHaveProperty('reason')
})
