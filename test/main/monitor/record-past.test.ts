import { expect, test } from 'vitest'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import { startBuiltIn } from '../../../main/hosts/demonstration.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { ScriptedHttp } from '../scripted-http.ts'

test('the first start shows a chart of fifteen minutes and three past events, marked as simulated', async () => {
  const builtIn = await startBuiltIn()
  const monitor = new Monitor({
    clock: new VirtualClock(),
    random: { next: () => 0.5 },
    http: new ScriptedHttp(),
    log: { note: () => {} },
  })
  const told: LoggedEvent[] = []
  monitor.subscribe({ changed: () => {}, removed: () => {}, event: (event) => void told.push(event) })
  try {
    monitor.connect(builtIn.profile)
    monitor.recordPast(builtIn.profile.id, builtIn.past)
    const history = monitor.withProfile(builtIn.profile.id, ({ parts }) =>
      parts.history.query('Positions', 0, Number.MAX_SAFE_INTEGER, 1_000),
    )
    if (!('points' in history)) throw new Error('not connected')
    const times = history.points.map(({ at }) => at)
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(14 * 60_000)
    expect(history.points.every(({ source }) => source === 'header')).toBe(true)
    expect(
      history.points.slice(0, -1).every(({ own, elsewhere }) => own === 0 && elsewhere !== undefined),
    ).toBe(true)
    expect(history.points.some(({ elsewhere = 0 }) => elsewhere > 1.5)).toBe(true)
    expect(history.rejectedAt).toHaveLength(1)
    expect(told.map(({ kind }) => kind)).toEqual(['rate-limited', 'rate-limit-over', 'stream-restarted'])
    expect(monitor.events(0)).toEqual(told)
    expect(monitor.snapshot(builtIn.profile.id)?.profile.environment).toBe('simulator')
    // A recorded header does not count as a present one: no row is shown as known.
    expect(monitor.snapshot(builtIn.profile.id)?.requests.every(({ source }) => source === 'default')).toBe(
      true,
    )
  } finally {
    monitor.stop()
    await builtIn.close()
  }
})
