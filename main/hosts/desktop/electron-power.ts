import type { Power } from '../../ports/ports.ts'
import type { ElectronPieces } from './electron-pieces.ts'

type PowerPieces = Pick<ElectronPieces, 'powerMonitor' | 'powerSaveBlocker'>

/** The power events of Electron. Call this after Electron's `ready`. */
export function electronPower({ powerMonitor, powerSaveBlocker }: PowerPieces): Power {
  let blocker: number | undefined
  // One function per event. A helper with the event's name as a parameter would not type-check, because
  // Electron declares an overload for each name.
  return {
    onSuspend: (run) => {
      powerMonitor.on('suspend', run)
      return () => void powerMonitor.off('suspend', run)
    },
    onResume: (run) => {
      powerMonitor.on('resume', run)
      return () => void powerMonitor.off('resume', run)
    },
    onLock: (run) => {
      powerMonitor.on('lock-screen', run)
      return () => void powerMonitor.off('lock-screen', run)
    },
    onUnlock: (run) => {
      powerMonitor.on('unlock-screen', run)
      return () => void powerMonitor.off('unlock-screen', run)
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
