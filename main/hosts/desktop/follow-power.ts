import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import type { Log, Power } from '../../ports/ports.ts'

/**
 * Reports sleep and wake-up to the monitor, and logs power events. After a wake-up, the monitor checks every
 * deadline. Returns a function that stops the reports.
 */
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
      log.note('the computer is going to sleep')
      monitor.sleep()
    }),
    power.onResume(woke('the computer woke')),
    power.onLock(() => log.note('the screen was locked')),
    // Some systems report no wake-up. Unlocking the screen is the next best sign.
    power.onUnlock(woke('the screen was unlocked')),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
