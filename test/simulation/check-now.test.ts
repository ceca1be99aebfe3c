import { expect, test } from 'vitest'
import { quotaCommands } from '../../main/monitor/commands/quotas.ts'
import { QUIET } from './story.ts'
import { World } from './world.ts'

test('check now, over all categories of a live key: each is checked at once or gives the reason', async () => {
  const world = new World(21, { ...QUIET, streams: [], budgetFraction: 0.02 })
  world.connect()
  await world.live(120_000)
  const { requests, slots } = world.snapshot
  const categories = new Set([...requests, ...slots].map(({ category }) => category))
  const { checkNow } = quotaCommands(world.monitor).handlers
  const codes: Record<string, string> = {}
  for (const category of categories) {
    const checked = checkNow({ profile: 'key', category })
    await world.live(5_000)
    const outcome = await checked
    codes[category] = outcome.ok ? 'ok' : outcome.code
  }
  expect(codes).toMatchObject({
    Accounts: 'ok',
    'Quote Snapshot': 'ok',
    'Quote Change Stream': 'ok',
    'MarketDepth Stream': 'ok',
    'Positions Stream': 'ok',
    'Order Stream': 'ok',
    'Option Quote Stream': 'needs-target',
    'Option Risk Reward': 'not-probed',
  })
  for (const { category, source } of world.snapshot.requests) {
    if (codes[category] === 'ok') expect(source, category).not.toBe('default')
  }
  expect(world.service.streams()).toEqual([])
  await world.settle()
})
