import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PLANS_PAGE, plansPage } from './plan-examples.ts'

test('the page of worked plans matches the current code', () => {
  expect(readFileSync(PLANS_PAGE, 'utf8')).toBe(plansPage())
})

test('no simulated wait is longer than the computed one', () => {
  const rows = [
    ...plansPage().matchAll(/^\| [^|]+ \| [^|]+ \| ([\d.]+) s \| ([\d.]+) s[^|]* \| ([\d.]+) s[^|]* \|$/gm),
  ]
  expect(rows.length).toBeGreaterThan(5)
  for (const [row, bound, greedy, day] of rows) {
    expect(Number(greedy), row).toBeLessThanOrEqual(Number(bound) + 0.1)
    expect(Number(day), row).toBeLessThanOrEqual(Number(bound) + 0.1)
  }
})
