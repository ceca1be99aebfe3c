import { describe, expect, it } from 'vitest'
import { profileState } from '../../../renderer/words/profile-state.ts'
import { snapshot } from '../fixtures.ts'

const base = snapshot()
const state = (more: Parameters<typeof snapshot>[0]) => profileState(snapshot(more)).words

describe('how a key stands, in the list of several', () => {
  it('is its verdict when all is well', () => {
    expect(profileState(snapshot({ verdict: { kind: 'lasts' } }))).toEqual({
      severity: 'ok',
      words: 'all quotas last',
    })
    expect(state({ verdict: { kind: 'runs-out', category: 'Positions' } })).toBe('Positions runs out')
  })

  it('says first what a person has to do', () => {
    const verdict = { kind: 'blocked', category: 'Positions' } as const
    const refresh = { ...base.refresh, state: 'sign-in-required' } as const
    const service = { reachable: false, host: 'api.example.com' }
    expect(state({ verdict, refresh, service })).toBe('sign in again')
    expect(state({ refresh: { ...refresh, cause: 'misconfigured' }, service })).toBe('key not accepted')
    expect(state({ verdict, service })).toBe('service unreachable')
    expect(state({ verdict })).toBe('Positions held')
  })

  it('never calls an unconfirmed revocation done', () => {
    const of = (name: 'revoked' | 'revoke-unconfirmed') =>
      state({ refresh: { ...base.refresh, state: name } })
    expect(of('revoke-unconfirmed')).toBe('revocation not confirmed')
    expect(of('revoked')).toBe('revoked')
  })
})
