import { test } from 'vitest'
import { proves } from '../proof/proves.ts'
import { FAIR, ROUGH } from './fault-profile.ts'
import { simulate } from './simulate.ts'
import { QUIET } from './story.ts'

test.each([
  ['fair', FAIR],
  ['rough', { ...ROUGH, duplicated: 0 }],
])(
  'alone on the key, the bounds contain the level at every second (%s network)',
  { timeout: 400_000 },
  async (_, faultProfile) => {
    const seeds = [100, 101, 102, 103]
    for (const seed of seeds) await simulate(seed, 1, { ...QUIET, faultProfile, budgetFraction: 0.3 })
    proves('Q1', { level: 2, cases: seeds.length })
  },
)
