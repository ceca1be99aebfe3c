import { expect, test } from 'vitest'
import { proves } from '../proof/proves.ts'
import { type GatewayFault, liveGateway } from './gateway-life.ts'

const FAULTS: readonly GatewayFault[] = [
  ...(['cut', 'cut-after', 'cut-body', '401', '429', 'bare-429', 'portal', 'redirect', 'timeout'] as const),
  ...(['not-sent', 'offline', 'sleep', 'gateway-killed', 'caller-killed', 'revoked', 'no-token'] as const),
  'token-refused',
]

interface Lives {
  readonly firstSeed: number
  readonly lives: number
  readonly timeoutMs: number
}

/**
 * Tests the lives of that many seeds. Each law must hold in each life, and each fault must occur in some
 * life.
 */
export function testLives({ firstSeed, lives, timeoutMs }: Lives): void {
  test(`in ${lives} short lives no request through the gateway is lost, left waiting, or sent twice but as allowed`, {
    timeout: timeoutMs,
  }, async () => {
    const met: Partial<Record<GatewayFault, number>> = {}
    let resends = 0
    for (let seed = firstSeed; seed < firstSeed + lives; seed += 1) {
      const life = await liveGateway(seed)
      resends += life.resends
      for (const fault of FAULTS) met[fault] = (met[fault] ?? 0) + (life.faults[fault] ?? 0)
    }
    // If a fault never occurred, the lives would prove nothing about it.
    for (const fault of FAULTS) expect(met[fault], fault).toBeGreaterThan(lives / 20)
    expect(resends).toBeGreaterThan(lives / 3)
    proves(['G1', 'G6'], { level: 2, cases: lives })
  })
}
