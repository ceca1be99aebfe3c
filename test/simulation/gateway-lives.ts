import { expect } from 'vitest'
import { type GatewayFault, liveGateway } from './gateway-life.ts'

const FAULTS: readonly GatewayFault[] = [
  ...(['cut', 'cut-after', 'cut-body', '401', '429', 'bare-429', 'portal', 'redirect', 'timeout'] as const),
  ...(['not-sent', 'offline', 'sleep', 'gateway-killed', 'caller-killed', 'revoked', 'no-token'] as const),
  'token-refused',
]

/** Lives of so many seeds from the first one on, each law held in each, and each fault met in some. Returns how many requests were sent again. */
export async function liveGateways(first: number, lives: number): Promise<number> {
  const met: Partial<Record<GatewayFault, number>> = {}
  let resends = 0
  for (let seed = first; seed < first + lives; seed += 1) {
    const life = await liveGateway(seed)
    resends += life.resends
    for (const fault of FAULTS) met[fault] = (met[fault] ?? 0) + (life.faults[fault] ?? 0)
  }
  // Lives in which nothing goes wrong would prove nothing.
  for (const fault of FAULTS) expect(met[fault], fault).toBeGreaterThan(lives / 20)
  return resends
}
