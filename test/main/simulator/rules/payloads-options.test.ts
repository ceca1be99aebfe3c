import { expect, test } from 'vitest'
import { expirations, spreadTypeOf, strikes } from '../../../../main/simulator/rules/payloads-options.ts'

const MONDAY_MS = Date.UTC(2026, 2, 2, 15)

interface Expiration {
  readonly Date: string
  readonly Type: string
}

test('the third Friday of a month is its monthly expiration, every other Friday a weekly one', () => {
  const all = expirations(MONDAY_MS)['Expirations'] as readonly Expiration[]
  expect(all.map(({ Date: date }) => new Date(date).getUTCDay())).toEqual(all.map(() => 5))
  const monthly = all
    .filter(({ Type: type }) => type === 'Monthly')
    .map(({ Date: date }) => date.slice(0, 10))
  expect(monthly).toEqual(['2026-03-20', '2026-04-17', '2026-05-15'])
})

test('a spread lists as many neighbouring strikes as its type requires', () => {
  const butterflies = strikes(7, 'MSFT', 'Butterfly', MONDAY_MS)['Strikes'] as readonly (readonly string[])[]
  expect(butterflies.length).toBeGreaterThan(5)
  for (const [low = '', middle = '', high = ''] of butterflies) {
    expect([Number(middle) - Number(low), Number(high) - Number(middle)]).toEqual([5, 5])
  }
})

test('a spread type is accepted in any case, and nothing else', () => {
  expect(spreadTypeOf('vertical')).toBe('Vertical')
  expect(spreadTypeOf('toString')).toBeUndefined()
})
