import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import type { Log } from '../../ports/ports.ts'
import type { Power } from '../../ports/power.ts'

/** After a sleep every deadline is decided again; what happened stands in the log, beside what came of it. */
export function followPower(
  power: Power,
  monitor: Pick<MonitorSurface, 'sleep' | 'wake'>,
  log: Log,
): () => void {
  const woke = (how: string) => () => {
    log.note(how)
    monitor.wake()
  }
  const stops = [
    power.onSuspend(() => {
      log.note('the machine goes to sleep')
      monitor.sleep()
    }),
    power.onResume(woke('the machine woke')),
    power.onLock(() => log.note('the screen was locked')),
    // Some systems sleep without saying so; a person who comes back is the next best sign.
    power.onUnlock(woke('the screen was unlocked')),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
