import type { Clock, Log } from '../ports/ports.ts'
import type { ElectronPieces } from './electron-pieces.ts'

/** The longest that the end of the app may take, of the 3 s that a person or a system waits for it. */
export const QUIT_LIMIT_MS = 2_700

export interface QuitDeps {
  readonly app: Pick<ElectronPieces['app'], 'on' | 'exit'>
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
  /** Closes streams and writes what is not on disk yet. */
  readonly stop: () => Promise<void>
}

/**
 * Holds the process until streams are closed and stores are written, at most `QUIT_LIMIT_MS`; then ends it.
 *
 * Every way to quit comes through `will-quit`: the menus, the last window, SIGINT, SIGTERM. It ends by `app.exit`, not
 * by a second `app.quit`: Electron ignores that one for as long as anything runs that the event itself caused.
 */
export function endAfterStop({ app, clock, log, stop }: QuitDeps): void {
  let isStopping = false
  app.on('will-quit', (event) => {
    event.preventDefault()
    if (isStopping) return
    isStopping = true
    const cancel = clock.after(QUIT_LIMIT_MS, () => {
      log.note('stopping took too long and was cut short', { limitMs: QUIT_LIMIT_MS })
      app.exit(0)
    })
    void stop()
      .catch((error: unknown) => log.note('stopping failed', { cause: error }))
      .finally(() => {
        cancel()
        app.exit(0)
      })
  })
}
