import type { Dialog, MessageBoxOptions } from 'electron'

/** Longest delay, in milliseconds, until the click on a last dialog is handled. */
const WAKE_MS = 100

/**
 * Shows a dialog when nothing else of the app runs: before it started, or after it stopped.
 *
 * Returns the index of the chosen button, −1 if the dialog could not be shown. Electron settles its promise in Node's
 * loop, which without a timer or a socket sleeps for up to half a minute after the click.
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
