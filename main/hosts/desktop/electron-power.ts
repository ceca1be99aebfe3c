import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import type { Log } from '../../ports/ports.ts'
import type { ElectronPieces } from './electron-pieces.ts'

/** The machine's sleep and screen. */
export interface Power {
  /** Calls `run` on each event. Returns the unsubscribe function. */
  on(event: 'suspend' | 'resume' | 'lock-screen' | 'unlock-screen', run: () => void): () => void
  /** Asks the system not to sleep when idle. The screen may still turn off. */
  keepAwake(wanted: boolean): void
}

type PowerPieces = Pick<ElectronPieces, 'powerMonitor' | 'powerSaveBlocker'>

/** The power events of Electron. Call this after Electron's `ready`. */
export function electronPower({ powerMonitor, powerSaveBlocker }: PowerPieces): Power {
  // Electron declares an overload for each event, so only the general type takes its name as a parameter.
  const events: NodeJS.EventEmitter = powerMonitor
  let blocker: number | undefined
  return {
    on: (event, run) => {
      events.on(event, run)
      return () => void events.off(event, run)
    },
    keepAwake: (wanted) => {
      if (wanted === (blocker !== undefined)) return
      if (blocker === undefined) blocker = powerSaveBlocker.start('prevent-app-suspension')
      else {
        powerSaveBlocker.stop(blocker)
        blocker = undefined
      }
    },
  }
}

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
    power.on('suspend', () => {
      log.note('the computer is going to sleep')
      monitor.sleep()
    }),
    power.on('resume', woke('the computer woke')),
    power.on('lock-screen', () => log.note('the screen was locked')),
    // Some systems report no wake-up. Unlocking the screen is the next best sign.
    power.on('unlock-screen', woke('the screen was unlocked')),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
