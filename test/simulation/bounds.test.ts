import { test } from 'vitest'
import { simulate } from './simulate.ts'
import { QUIET } from './story.ts'
import { FAIR, ROUGH } from './weather.ts'

test.each([
  ['fair', FAIR],
  ['rough', { ...ROUGH, duplicated: 0 }],
])(
  'alone on the key, the bounds hold the level at every second (%s network)',
  { timeout: 180_000 },
  async (_, weather) => {
    for (let seed = 100; seed < 104; seed += 1) {
      await simulate(seed, 1, { ...QUIET, weather, budgetFraction: 0.3 })
    }
  },
)
