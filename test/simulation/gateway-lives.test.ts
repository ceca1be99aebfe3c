import { expect, test } from 'vitest'
import { proves } from '../proof/proves.ts'
import { liveGateways } from './gateway-lives.ts'

const LIVES = 300

test(`in ${LIVES} short lives no request through the gateway is lost, left waiting, or sent twice but as allowed`, {
  timeout: 240_000,
}, async () => {
  expect(await liveGateways(1, LIVES)).toBeGreaterThan(LIVES / 3)
  proves(['G1', 'G6'], { level: 2, cases: LIVES })
})
