import { expect, test } from 'vitest'
import { probeFlag } from '../../../../main/hosts/terminal/category-flags.ts'
import { asWatched } from '../../../../main/hosts/terminal/watch-command.ts'
import { profile } from '../../vault/fixtures.ts'

const chosen = profile({
  probes: {
    enabled: false,
    budgetFraction: 0.005,
    everySeconds: { Positions: 60 },
    symbol: 'AAPL',
    trialAfterStep: true,
  },
  rotationMinutes: 12,
})
const probe = (text: string) => {
  const flag = probeFlag(text)
  if (!flag.ok) throw new Error(flag.expected)
  return flag.value
}

test('without a flag every setting is as it was chosen', () => {
  expect(asWatched(chosen, {})).toEqual(chosen)
})

test('a flag replaces its own setting, and nothing else', () => {
  expect(asWatched(chosen, { probe: probe('Accounts=30') })).toEqual({
    ...chosen,
    probes: { ...chosen.probes, enabled: true, everySeconds: { Accounts: 30 } },
  })
  expect(asWatched(chosen, { probeSymbol: 'MSFT' }).probes).toEqual({ ...chosen.probes, symbol: 'MSFT' })
  const stream = [{ kind: 'quotes', target: 'MSFT', options: {} }] as const
  expect(asWatched(chosen, { stream })).toEqual({ ...chosen, streams: stream })
})

test('no checks at all means none, whatever was chosen', () => {
  expect(asWatched(chosen, { probe: probe('none') }).probes).toMatchObject({
    budgetFraction: 0,
    everySeconds: {},
  })
})
