import type { Log } from '../../ports/ports.ts'
import { restoreFileMask } from '../../storage/private-files.ts'
import type { ElectronPieces } from './electron-pieces.ts'
import { showLastDialog } from './start-failure.ts'

export interface DefectDeps {
  readonly process: Pick<NodeJS.Process, 'on'>
  readonly electron: Pick<ElectronPieces, 'dialog'> & {
    readonly app: Pick<ElectronPieces['app'], 'exit' | 'relaunch'>
  }
  readonly log: Log
  /** Stops everything once. */
  readonly stop: () => Promise<void>
  /** Notifies a person that the app continues after a defect. */
  readonly notify: (line: string) => void
}

const START_AGAIN = 0

/**
 * Handles unexpected errors, which are bugs of the app.
 *
 * An uncaught exception ends the app, because work may be left half done. The app logs the exception, closes
 * streams and writes stores (within `QUIT_LIMIT_MS`). A dialog then offers a restart, and the process exits
 * with 1.
 *
 * An unhandled rejection affects only one task, so the app continues. It logs the rejection, and notifies the
 * person once per run. The log redacts both kinds of errors.
 */
export function followDefects({ process, electron, log, stop, notify }: DefectDeps): void {
  let isEnding = false
  let isReported = false
  process.on('uncaughtException', (cause) => {
    log.note('an uncaught error; Headroom is quitting', { cause })
    if (isEnding) return
    isEnding = true
    void endAfter()
  })
  process.on('unhandledRejection', (cause) => {
    log.note('an unhandled rejection; Headroom keeps running', { cause })
    if (isReported) return
    isReported = true
    notify('Something in Headroom failed. It keeps running; see Show Log in the Help menu.')
  })

  async function endAfter(): Promise<void> {
    await stop()
    const response = await showLastDialog(electron.dialog, {
      type: 'error',
      title: 'Headroom',
      message: 'Headroom quit after an error.',
      detail: 'Monitoring has stopped. Your saved data is safe; see the log.',
      buttons: ['Start Again', 'Quit'],
      defaultId: START_AGAIN,
    })
    if (response === START_AGAIN) {
      restoreFileMask()
      electron.app.relaunch()
    }
    electron.app.exit(1)
  }
}
