import { expect, test } from 'vitest'
import { streamGroups } from '../../../renderer/streams/stream-groups.ts'
import { stream } from '../fixtures.ts'

test('streams are grouped by subject, with closed ones apart and last', () => {
  const groups = streamGroups([
    stream('s1', 'MarketDepth Stream', 'MSFT', { streamKind: 'depth' }),
    stream('s2', 'Positions Stream', '123'),
    stream('s3', 'Order Stream', '123', { state: 'closed' }),
    stream('s4', 'MarketDepth Stream', 'MSFT', { streamKind: 'depth-aggregates', state: 'stale' }),
  ])
  expect(groups.map(({ id, states }) => [id, states])).toEqual([
    ['account', '1 live'],
    ['market-data', '1 live, 1 silent'],
    ['closed', '1 closed'],
  ])
  expect(groups[1]?.kinds.map(({ name }) => name)).toEqual(['Depth quotes', 'Depth aggregates'])
})

test('many streams of a kind are one line with the worst state', () => {
  const chains = ['A', 'B', 'C', 'D'].map((target, index) =>
    stream(target, 'Option Chain Stream', target, {
      framesPerSecond: 2,
      state: index === 2 ? 'stale' : 'live',
    }),
  )
  const [kind] = streamGroups(chains)[0]?.kinds ?? []
  expect(kind).toMatchObject({
    name: 'Option chains',
    folds: true,
    severity: 'warning',
    framesPerSecond: 8,
    states: '3 live, 1 silent',
  })
  expect(streamGroups(chains.slice(1))[0]?.kinds[0]?.folds).toBe(false)
})

test('an unknown kind or category of a newer process is market data', () => {
  const newer = { streamKind: 'news' } as unknown as { streamKind: 'quotes' }
  expect(streamGroups([stream('s1', 'News Stream', 'MSFT', newer)])).toMatchObject([{ id: 'market-data' }])
})
