import { watchFirstStart } from '../first-start/watch-first-start.ts'
import { THOROUGH_TAG } from '../thorough.ts'
import { expect, test } from './fixtures.ts'

test('in the first half minute of a first start the window shows nothing that the simulator’s count contradicts', {
  tag: THOROUGH_TAG,
}, async ({ page }) => {
  test.setTimeout(120_000)
  const { looks, contradictions } = await watchFirstStart({ page, seconds: 24, everySeconds: 3 })
  expect(contradictions).toEqual([])
  expect(looks).toBe(8)
})
