import type { ElectronPieces } from './electron-pieces.ts'

export interface StartFailureDeps {
  readonly electron: Pick<ElectronPieces, 'app' | 'dialog'>
  /** Whether a person can read what the process writes: started from an icon or at login, nobody can. */
  readonly hasTerminal: boolean
  readonly complain: (line: string) => void
}

/** Says in one line why the app cannot start, where a person sees it, and ends the process with 1. */
export async function failToStart(
  line: string,
  { electron, hasTerminal, complain }: StartFailureDeps,
): Promise<void> {
  const { app, dialog } = electron
  complain(line)
  if (!hasTerminal) {
    await app.whenReady()
    const detail = line.charAt(0).toUpperCase() + line.slice(1)
    await dialog
      .showMessageBox({ type: 'error', title: 'Headroom', message: 'Headroom cannot start.', detail })
      .catch(() => {}) // the line stands on stderr all the same
  }
  app.exit(1)
}
