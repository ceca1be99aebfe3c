import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { type DeskTrouble, liveDesk } from './desk-lives.ts'

test('a hundred lives of a desk keep its laws, whatever goes wrong', { timeout: 180_000 }, async () => {
  const seen = new Set<string>()
  let requests = 0
  for (let seed = 1; seed <= 100; seed += 1) {
    const life = await liveDesk(seed)
    for (const trouble of Object.keys(life.troubles)) seen.add(trouble)
    requests += life.requests
  }
  const all: readonly DeskTrouble[] = ['kill', 'restart', 'freeze', 'cut', 'server', 'leave', 'wall']
  expect([...seen].sort()).toEqual([...all].sort())
  expect(requests).toBeGreaterThan(2_000)
  proves('M4', { level: 2, cases: 100 })
})
