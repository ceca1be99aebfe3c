import type { ElectronPieces } from './electron-pieces.ts'
import { showLastDialog } from './last-dialog.ts'

export interface StartFailureDeps {
  readonly electron: Pick<ElectronPieces, 'app' | 'dialog'>
  /** Whether stderr is visible to a person; not after a start from an icon or at login. */
  readonly hasTerminal: boolean
  readonly complain: (line: string) => void
}

/** Shows in one line why the app cannot start, and exits with 1. */
export async function failToStart(
  line: string,
  { electron, hasTerminal, complain }: StartFailureDeps,
): Promise<void> {
  const { app, dialog } = electron
  complain(line)
  if (!hasTerminal) {
    await app.whenReady()
    const detail = line.charAt(0).toUpperCase() + line.slice(1)
    await showLastDialog(dialog, {
      type: 'error',
      title: 'Headroom',
      message: 'Headroom cannot start.',
      detail,
    })
  }
  app.exit(1)
}
