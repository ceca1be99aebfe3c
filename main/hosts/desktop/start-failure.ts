import type { Dialog, MessageBoxOptions } from 'electron'
import { capitalised } from '../../../app/status/sentences.ts'
import type { ElectronPieces } from './electron-pieces.ts'

export interface StartFailureDeps {
  readonly electron: Pick<ElectronPieces, 'app' | 'dialog'>
  /** Whether a person can see stderr. False after a start from an icon or at login. */
  readonly hasTerminal: boolean
  readonly complain: (line: string) => void
}

/** Shows in one line why the app can't start, and exits with 1. */
export async function failToStart(
  line: string,
  { electron, hasTerminal, complain }: StartFailureDeps,
): Promise<void> {
  const { app, dialog } = electron
  complain(line)
  if (!hasTerminal) {
    await app.whenReady()
    await showLastDialog(dialog, {
      type: 'error',
      title: 'Headroom',
      message: 'Headroom can’t start.',
      detail: capitalised(line),
    })
  }
  app.exit(1)
}

/** Maximum delay in milliseconds until a click in the last dialog is handled. */
const WAKE_MS = 100

/**
 * Shows a dialog before the app's start or after its stop. Returns the index of the chosen button, or −1 if
 * the dialog could not be shown.
 *
 * Electron settles the dialog's promise in Node's event loop. Without a timer or socket, the loop could sleep
 * for half a minute after the click, so a timer keeps it awake.
 */
export async function showLastDialog(
  dialog: Pick<Dialog, 'showMessageBox'>,
  options: MessageBoxOptions,
): Promise<number> {
  const awake = setInterval(() => {}, WAKE_MS)
  try {
    return (await dialog.showMessageBox(options)).response
  } catch {
    return -1
  } finally {
    clearInterval(awake)
  }
}
