import type { Clock, Log } from '../../ports/ports.ts'
import type { ElectronPieces } from './electron-pieces.ts'

/** Maximum duration of quitting in milliseconds. After 3 s, a person or the system may kill the app. */
export const QUIT_LIMIT_MS = 2_700
/**
 * How long quitting waits for responses to programs' requests, in milliseconds. Within `QUIT_LIMIT_MS`, two
 * seconds remain for pending tokens, and then some time for writing the files.
 */
export const QUIT_DRAIN_MS = 500

export interface QuitDeps {
  readonly app: Pick<ElectronPieces['app'], 'on' | 'exit'>
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
  /** Closes streams and writes unsaved data. */
  readonly stop: () => Promise<void>
}

/**
 * Delays the exit of the process until streams are closed and stores are written, at most `QUIT_LIMIT_MS`.
 *
 * Every way to quit emits `will-quit`: the menus, closing the last window, SIGINT and SIGTERM. The last step
 * is `app.exit`, because Electron ignores a second `app.quit` while it handles the event.
 *
 * Returns a function that stops everything once. It resolves when the stop has succeeded or failed, or after
 * `QUIT_LIMIT_MS`.
 */
export function endAfterStop({ app, clock, log, stop }: QuitDeps): () => Promise<void> {
  let stopped: Promise<void> | undefined
  const stopOnce = () => {
    stopped ??= new Promise((resolve) => {
      const cancel = clock.after(QUIT_LIMIT_MS, () => {
        log.note('quitting timed out', { limitMs: QUIT_LIMIT_MS })
        resolve()
      })
      void stop()
        .catch((error: unknown) => log.note('quitting failed', { cause: error }))
        .finally(() => {
          cancel()
          resolve()
        })
    })
    return stopped
  }
  let isEnding = false
  app.on('will-quit', (event) => {
    event.preventDefault()
    if (isEnding) return
    isEnding = true
    void stopOnce().then(() => app.exit(0))
  })
  return stopOnce
}
