import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { part } from '../../thorough.ts'
import { liveOrders, type OrderFault, type OrderLife } from './order-life.ts'

const FAULTS: readonly OrderFault[] = [
  ...(['refused', 'request-lost', 'answer-lost', 'answer-cut', 'silent', 'late'] as const),
  ...(['killed-before', 'killed-after', 'killed', 'stopped', 'refreshing', 'no-token'] as const),
  ...(['caller-gone', 'sleep', 'unreadable', 'order-401', 'order-429', 'order-502-taken'] as const),
]

/** A disk in memory, if there is one, because these lives test what is written and not how fast. */
const DISK = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A thousand take a minute. `HEADROOM_ORDER_LIVES=10000` runs more, in about ten minutes. */
const LIVES = Number(process.env['HEADROOM_ORDER_LIVES'] ?? (part() === 'quick' ? 150 : 1_000))

test('in many short lives no order is sent twice, sent unseen, waits, or has a silent outcome', {
  timeout: 3_600_000,
}, async () => {
  const met: Partial<Record<OrderFault, number>> = {}
  const outcomes: Partial<Record<keyof OrderLife['outcomes'], number>> = {}
  for (let seed = 1_000_000; seed < 1_000_000 + LIVES; seed += 1) {
    const folder = mkdtempSync(join(DISK, 'headroom-orders-'))
    try {
      const life = await liveOrders(seed, folder)
      for (const fault of FAULTS) met[fault] = (met[fault] ?? 0) + (life.faults[fault] ?? 0)
      for (const [name, count] of Object.entries(life.outcomes)) {
        const outcome = name as keyof OrderLife['outcomes']
        outcomes[outcome] = (outcomes[outcome] ?? 0) + count
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  // If a fault never occurred, the lives would prove nothing about it.
  for (const fault of FAULTS) expect(met[fault], fault).toBeGreaterThan(LIVES / 30)
  for (const outcome of ['answered', 'found', 'not-found', 'ambiguous'] as const)
    expect(outcomes[outcome], outcome).toBeGreaterThan(LIVES / 10)
  proves(['O1', 'O2', 'O3', 'O4'], { level: 2, cases: LIVES })
})
