import { expect, test } from 'vitest'
import { simulate } from './simulate.ts'
import { QUIET } from './story.ts'

test('one seed gives one run', async () => {
  const first = await simulate(12, 0.2, QUIET)
  const second = await simulate(12, 0.2, QUIET)
  expect(second).toEqual(first)
})

test('a broken invariant names its seed and the command that reproduces it', async () => {
  // Another program uses the quota although the story is marked as alone, so the bounds must fail.
  const intruder = { kind: 'traffic', traffic: { Accounts: 12 } } as const
  const story = { ...QUIET, events: [{ atMs: 60_000, what: intruder }] }
  await expect(simulate(13, 0.2, story)).rejects.toThrow(
    /^Error: Accounts: the service has .* \(seed 13, minute .*\)\. See it again: npm run simulate -- --seed 13 --hours 0\.2$/,
  )
})
