import fc from 'fast-check'
import { expect, test } from 'vitest'
import { restoredState, signedIn, storedTokens } from '../../../app/tokens/stored-token.ts'
import { isRevoking, newTokenState, type Standing, type TokenState } from '../../../app/tokens/token-state.ts'

const NOW_MS = 1_800_000_000_000
const instant = fc.integer({ min: 1, max: NOW_MS })

const held = fc.record(
  {
    generation: fc.integer({ min: 1, max: 1_000 }),
    refreshToken: fc.string({ minLength: 1 }),
    signedInAtMs: instant,
    rotatedAtMs: instant,
    keepsToken: fc.boolean(),
    subject: fc.string(),
  },
  { requiredKeys: ['generation', 'refreshToken', 'signedInAtMs', 'keepsToken'] },
)

const standing: fc.Arbitrary<Standing> = fc.oneof(
  fc.record({ kind: fc.constant('unconfirmed' as const) }),
  fc.record({ kind: fc.constant('active' as const) }),
  fc.record({ kind: fc.constant('sign-in-required' as const), reason: fc.string() }),
  fc.record({ kind: fc.constant('revoking' as const) }),
  fc.record({ kind: fc.constant('revoke-unconfirmed' as const), reason: fc.string(), retryAtMs: instant }),
  fc.record({ kind: fc.constant('revoke-unconfirmed' as const), reason: fc.string() }),
  fc.record({ kind: fc.constant('revoked' as const), atMs: instant }),
)

test('a stored state restores the same token, and never as usable if it was not', () => {
  fc.assert(
    fc.property(held, standing, fc.boolean(), (token, stands, lostAnswer) => {
      const state: TokenState = { ...newTokenState(token), standing: stands, lostAnswer }
      const back = restoredState(JSON.parse(JSON.stringify(storedTokens(token, state, NOW_MS))), NOW_MS)
      expect(back.token).toEqual(token)
      expect(back.lostAnswer).toBe(lostAnswer)
      expect(isRevoking(back)).toBe(isRevoking(state))
      expect(back.standing.kind === 'sign-in-required').toBe(stands.kind === 'sign-in-required')
      expect(back.standing.kind === 'revoked').toBe(stands.kind === 'revoked')
    }),
  )
})

test('a revocation that waited for a person still waits, and one in retry is retried at once', () => {
  const token = { generation: 1, refreshToken: 'r', signedInAtMs: 1, keepsToken: false }
  const stored = (stands: Standing) =>
    restoredState(storedTokens(token, { ...newTokenState(token), standing: stands }, NOW_MS), NOW_MS)
  expect(stored({ kind: 'revoke-unconfirmed', reason: 'refused' }).standing).toEqual({
    kind: 'revoke-unconfirmed',
    reason: 'refused',
  })
  expect(stored({ kind: 'revoking' }).standing).toMatchObject({
    kind: 'revoke-unconfirmed',
    retryAtMs: NOW_MS,
  })
})

test('an open intent is a lost response for any later start', () => {
  const stored = signedIn('r', NOW_MS)
  expect(restoredState(stored, NOW_MS).lostAnswer).toBe(false)
  expect(restoredState({ ...stored, intent: { generation: 1, atMs: 1 } }, NOW_MS).lostAnswer).toBe(true)
})
