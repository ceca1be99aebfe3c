import { expect, test } from 'vitest'
import { proves } from '../proof/proves.ts'
import { part } from '../thorough.ts'
import { type GatewayFault, liveGateway } from './gateway-life.ts'

const FAULTS: readonly GatewayFault[] = [
  ...(['cut', 'cut-after', 'cut-body', '401', '429', 'bare-429', 'portal', 'redirect', 'timeout'] as const),
  ...(['not-sent', 'offline', 'sleep', 'gateway-killed', 'caller-killed', 'revoked', 'no-token'] as const),
  'token-refused',
]

const LIVES = part() === 'quick' ? 300 : 10_000

test('in many short lives no request through the gateway is lost, left waiting, or sent twice but as allowed', {
  timeout: 3_600_000,
}, async () => {
  const met: Partial<Record<GatewayFault, number>> = {}
  let resends = 0
  for (let seed = 1_000_000; seed < 1_000_000 + LIVES; seed += 1) {
    const life = await liveGateway(seed)
    resends += life.resends
    for (const fault of FAULTS) met[fault] = (met[fault] ?? 0) + (life.faults[fault] ?? 0)
  }
  // If a fault never occurred, the lives would prove nothing about it.
  for (const fault of FAULTS) expect(met[fault], fault).toBeGreaterThan(LIVES / 20)
  expect(resends).toBeGreaterThan(LIVES / 3)
  proves(['G1', 'G6'], { level: 2, cases: LIVES })
})
