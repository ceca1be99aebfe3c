import { expect, test } from 'vitest'
import { OtherHost } from '../../../main/network/other-host.ts'
import { Reachability } from '../../../main/network/reachability.ts'
import { Timeline } from '../../../main/ports/timeline.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'

const MINUTE_MS = 60_000

test('a person who retries again and again causes no more checks than before', async () => {
  const clock = new VirtualClock()
  const reachability = new Reachability(new Timeline(clock), { next: () => 0.5 }, () => {})
  let checks = 0
  const reach = async (_: string, timeoutMs: number) => {
    checks += 1
    await new Promise<void>((resolve) => clock.after(timeoutMs, resolve))
    return 'timed out'
  }
  const otherHost = new OtherHost({
    clock,
    http: { reach },
    reachability,
    urls: () => ['https://auth.test', 'https://api.test'],
    isAsked: () => false,
  })
  const checksIn = async (ms: number) => {
    const before = checks
    await clock.advance(ms)
    return checks - before
  }
  reachability.failed('auth.test', 'timed out')
  otherHost.unreachable('auth.test')
  const usual = await checksIn(10 * MINUTE_MS)
  for (let click = 0; click < 20; click += 1) {
    otherHost.tryNow()
    await clock.advance(100)
  }
  // The two hosts' checks are separate.
  expect(await checksIn(10 * MINUTE_MS)).toBeLessThanOrEqual(2 * usual)
})
