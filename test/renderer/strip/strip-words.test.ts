import { describe, expect, it } from 'vitest'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { stripWords } from '../../../renderer/strip/strip-words.ts'
import { snapshotOf } from '../../main/browser/fake-windows.ts'
import { NOW_MS, quota } from '../fixtures.ts'

const of = (changes: Partial<Snapshot>): Snapshot => ({ ...snapshotOf('p1', 1), ...changes })
const positions = quota('Positions', 320, 300, 38.4, { verdict: 'runs-out' })
const options = quota('Option Strikes', 90, 60, 55, {})
const words = (...snapshots: readonly Snapshot[]) => stripWords(snapshots, NOW_MS)

describe('the strip', () => {
  it('counts down what runs out, with what is left of it', () => {
    const verdict = { kind: 'runs-out', category: 'Positions', at: NOW_MS + 114_000 } as const
    expect(words(of({ verdict, requests: [options, positions] }))).toEqual({
      severity: 'watch',
      name: 'Positions',
      remaining: '38',
      percent: 12,
      note: '1 min 54 s',
    })
  })

  it('says how long a held category is held', () => {
    const verdict = { kind: 'blocked', category: 'Positions', at: NOW_MS + 9_500 } as const
    expect(words(of({ verdict, requests: [positions] }))).toMatchObject({
      severity: 'critical',
      note: 'held 10 s',
    })
  })

  it('names the tightest while all last, and nothing before anything was seen', () => {
    const requests = [positions, options, quota('Balances', 320, 300, 1, { source: 'default' })]
    expect(words(of({ verdict: { kind: 'lasts' }, requests }))).toEqual({
      severity: 'ok',
      name: 'All quotas last',
      note: 'tightest: Positions 12 %',
    })
    expect(words(of({ verdict: { kind: 'unknown' } })).name).toBe('Nothing seen yet')
    expect(words().name).toBe('No key connected')
  })

  it('marks what is modelled from an old header', () => {
    const old = { ...positions, observedAt: NOW_MS - 300_000 }
    const verdict = { kind: 'near-limit', category: 'Positions' } as const
    expect(words(of({ verdict, requests: [old] }))).toMatchObject({ remaining: '~38', note: 'near limit' })
  })

  it('speaks of the most urgent profile, and of what stands in the way first', () => {
    const refresh = { ...snapshotOf('p', 1).refresh, state: 'sign-in-required' as const }
    const calm = of({ verdict: { kind: 'lasts' } })
    const lost = of({
      service: { reachable: false, host: 'h' },
      profile: { ...calm.profile, name: 'Second' },
    })
    expect(words(calm, lost)).toMatchObject({
      severity: 'watch',
      name: 'Service unreachable',
      note: 'Second',
    })
    expect(words(calm, lost, of({ refresh }))).toMatchObject({ severity: 'critical', name: 'Sign in again' })
    expect(words(of({ refresh: { ...refresh, cause: 'misconfigured' } })).name).toBe('Key not accepted')
  })
})
