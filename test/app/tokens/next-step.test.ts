import { expect, test } from 'vitest'
import { nextStep, WARNINGS_AHEAD_MS } from '../../../app/tokens/next-step.ts'
import { ROTATION } from '../../../app/tokens/schedule.ts'
import { newTokenState, type Standing, type TokenState } from '../../../app/tokens/token-state.ts'

const MINUTE_MS = 60_000
const START_MS = 1_800_000_000_000
const END_MS = START_MS + ROTATION.absoluteMs

const state = (changes: Partial<TokenState> = {}): TokenState => ({
  ...newTokenState({
    generation: 2,
    refreshToken: 'r',
    signedInAtMs: START_MS,
    rotatedAtMs: START_MS,
    keepsToken: false,
  }),
  standing: { kind: 'active' },
  ...changes,
})

/** An access token that is fresh for far longer than the test looks. */
const access = { value: 'a', issuedAtMs: START_MS, expiresAtMs: END_MS + 86_400_000, scopes: [] }
const stepAt = (nowMs: number, changes: Partial<TokenState> = {}) =>
  nextStep(state({ access, ...changes }), nowMs)

test('a key without an access token is refreshed at once, and a failed refresh at its scheduled time', () => {
  expect(nextStep(state(), START_MS)).toEqual({ kind: 'refresh', atMs: START_MS })
  expect(nextStep(state({ retryAtMs: START_MS + 5 }), START_MS)).toEqual({
    kind: 'refresh',
    atMs: START_MS + 5,
  })
})

test('the end of the 24 hours is announced an hour and a quarter of an hour ahead', () => {
  expect(WARNINGS_AHEAD_MS.map((ahead) => ahead / MINUTE_MS)).toEqual([60, 15])
  const hour = { kind: 'warn', atMs: END_MS - 60 * MINUTE_MS, aheadMs: 60 * MINUTE_MS, endsAtMs: END_MS }
  expect(stepAt(START_MS)).toEqual(hour)
  expect(stepAt(END_MS - 15 * MINUTE_MS - 1)).toEqual(hour)
  const quarter = { ...hour, atMs: END_MS - 15 * MINUTE_MS, aheadMs: 15 * MINUTE_MS }
  expect(stepAt(END_MS - 15 * MINUTE_MS)).toEqual(quarter)
  expect(stepAt(START_MS, { warnedAheadMs: 60 * MINUTE_MS })).toEqual(quarter)
  expect(stepAt(START_MS, { warnedAheadMs: 15 * MINUTE_MS })?.kind).toBe('refresh')
  expect(stepAt(END_MS - 1)?.kind).toBe('warn')
  expect(stepAt(END_MS)?.kind).toBe('refresh')
})

test.each<[Standing, string | undefined]>([
  [{ kind: 'unconfirmed' }, 'refresh'],
  [{ kind: 'active' }, 'refresh'],
  [{ kind: 'sign-in-required', reason: '' }, undefined],
  [{ kind: 'revoking' }, undefined],
  [{ kind: 'revoked', atMs: 1 }, undefined],
  [{ kind: 'revoke-unconfirmed', reason: '' }, undefined],
  [{ kind: 'revoke-unconfirmed', reason: '', retryAtMs: 1 }, 'revoke'],
])('%j starts %s automatically', (standing, kind) => {
  expect(nextStep(state({ standing }), START_MS)?.kind).toBe(kind)
})
