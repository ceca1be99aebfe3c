import { expect, test } from 'vitest'
import { MIXES, trueRatesOf, turnsOf } from '../app/gateway/turns.ts'

test('more optimism declines fewer requests that could have gone, and lets more wait in vain; alone there are neither', () => {
  const mix = MIXES['critical ones']
  const [none, some, much] = [0, 1.5, 3].map((optimismSigmas) => turnsOf(mix, 1, { optimismSigmas }))
  expect(none?.wrong).toBeGreaterThan(some?.wrong ?? 0)
  expect(some?.wrong).toBeGreaterThan(much?.wrong ?? 0)
  expect(none?.inVain).toBeLessThan(some?.inVain ?? 0)
  expect(some?.inVain).toBeLessThan(much?.inVain ?? 0)
  expect(some?.vainShare).toBeLessThanOrEqual(some?.inVain ?? 0)
  expect(turnsOf(MIXES['no other'], 1, { optimismSigmas: 0 })).toMatchObject({ wrong: 0, inVain: 0 })
})

test('the true rates are those of others’ requests', () => {
  const refillMs = 937.5
  const { perMs, programsOf, unseenPerMs } = trueRatesOf(MIXES['all of them'])
  expect(perMs('critical', 0) * refillMs).toBeCloseTo(0.2)
  expect(programsOf('background', 0).map((one) => one.perMs * refillMs)).toEqual([0.1, 0.1])
  expect([programsOf('normal', 0), perMs('normal', 0)]).toEqual([[], 0])
  expect(unseenPerMs * refillMs).toBeCloseTo(0.2)
})
