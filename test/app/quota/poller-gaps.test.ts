import { expect, test } from 'vitest'
import { type Gap, PollerGaps } from '../../../app/quota/poller-gaps.ts'

const gapAt = (from: number, of: Partial<Gap>): Gap => ({
  ...{ from, to: from + 3, slack: 0.05, least: 200, most: 201, leastAfter: 199, mostAfter: 200 },
  ...{ own: 1, missing: 0, isNearFull: false, chance: 0.5 },
  ...of,
})

test('a gap that was held to be impossible leaves all later probabilities usable', () => {
  const gaps = new PollerGaps()
  for (const missing of [9, 12, 0, 0])
    gaps.add(gapAt(gaps.count * 3, { missing, chance: missing > 0 ? 0 : 0.5 }))
  for (const chance of gaps.irregular.slice(0, gaps.count)) expect(chance).toBeGreaterThan(0)
})
