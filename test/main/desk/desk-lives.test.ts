import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { part } from '../../thorough.ts'
import { type DeskTrouble, liveDesk } from './desk-lives.ts'

/** Two thousand take about five minutes. */
const LIVES = part() === 'quick' ? 30 : 2_000

test('many lives of a desk keep its laws, whatever goes wrong', { timeout: 3_600_000 }, async () => {
  const seen = new Set<string>()
  let requests = 0
  for (let seed = 100_000; seed < 100_000 + LIVES; seed += 1) {
    const life = await liveDesk(seed)
    for (const trouble of Object.keys(life.troubles)) seen.add(trouble)
    requests += life.requests
  }
  const all: readonly DeskTrouble[] = ['kill', 'restart', 'freeze', 'cut', 'server', 'leave', 'wall']
  expect([...seen].sort()).toEqual([...all].sort())
  expect(requests).toBeGreaterThan(20 * LIVES)
  proves('M4', { level: 2, cases: LIVES })
})
