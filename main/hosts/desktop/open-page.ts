import type {
  BrowserWindow,
  BrowserWindowConstructorOptions,
  IpcMainInvokeEvent,
  WebContents,
} from 'electron'
import { contract } from '../../../app/contract/contract.ts'
import { RETRY, retryDelayMs } from '../../../app/retry/schedules.ts'
import type { Clock, Log } from '../../ports/ports.ts'
import type { WindowSession, Windows } from '../window-session.ts'
import { APP_NAME, type ElectronPieces } from './electron-pieces.ts'
import { windowPreferences } from './hardening.ts'
import { isOurFrame, publish, serve } from './ipc.ts'
import { ACKNOWLEDGE_CHANNEL, pacedPushes } from './paced-pushes.ts'

export interface PageDeps {
  readonly electron: Pick<ElectronPieces, 'app' | 'BrowserWindow'>
  readonly windows: Windows
  readonly preloadPath: string
  readonly clock: Clock
  readonly log: Log
  /** The icon in the title bar and the taskbar. Absent if the system uses the icon of the app bundle. */
  readonly iconPath?: string
  /** Called when Windows ends the person's session. Must write unsaved data before it returns. */
  readonly sessionEnding: () => void
}

/** The page's background, to avoid a white flash before the first paint. */
const BACKGROUND = '#0e1116'

/**
 * Opens a window with its session. Closing the window ends the session. The window is shown after its first
 * paint.
 */
export function openPage(
  url: string,
  options: BrowserWindowConstructorOptions,
  { electron, windows, preloadPath, clock, log, iconPath, sessionEnding }: PageDeps,
): BrowserWindow {
  const window = new electron.BrowserWindow({
    ...options,
    title: APP_NAME,
    ...(iconPath !== undefined && { icon: iconPath }),
    backgroundColor: BACKGROUND,
    show: false,
    webPreferences: windowPreferences(preloadPath, electron.app.isPackaged),
  })
  const { webContents } = window
  const paced = pacedPushes(publish(contract, webContents))
  const session = windows.open(paced.pushes)
  // These channels belong to this page. Messages from other pages do not arrive here.
  const isOurs = (event: IpcMainInvokeEvent) => isOurFrame(event, webContents)
  serve(contract, session.handlers, webContents.ipc, isOurs, log)
  webContents.ipc.handle(ACKNOWLEDGE_CHANNEL, (event) => {
    if (isOurs(event)) paced.acknowledge()
  })
  webContents.on('did-finish-load', () => paced.startOver())
  const stopRecovering = recover(webContents, session, clock, log)

  // On both events, only unsaved data is written. After `query-session-end`, the end of the session can still
  // be cancelled, so nothing may be stopped yet. After `session-end`, there is no time to stop anything.
  window.on('query-session-end', sessionEnding)
  window.on('session-end', sessionEnding)
  window.once('ready-to-show', () => window.show())
  window.on('closed', () => {
    stopRecovering()
    session.close()
  })
  window.loadURL(url).catch((error: unknown) => {
    if (!window.isDestroyed()) log.note('loading a window failed', { cause: error })
  })
  return window
}

/**
 * Reloads a page that crashed. The main process loses no state, and the new page fetches the latest snapshot.
 */
function recover(contents: WebContents, session: WindowSession, clock: Clock, log: Log): () => void {
  let endedAtMs: readonly number[] = []
  let cancel = () => {}
  contents.on('render-process-gone', (_event, { reason }) => {
    // `clean-exit`: the window was closed.
    if (reason === 'clean-exit') return
    const step = recoveryStep(endedAtMs, clock.monotonicMs())
    endedAtMs = step.endedAtMs
    log.note('a window crashed', { reason, waitMs: step.waitMs })
    cancel()
    cancel = clock.after(step.waitMs, () => {
      if (contents.isDestroyed()) return
      // The crashed page may have been hidden. The new page reports only when it becomes hidden, so it counts
      // as visible until then.
      void session.handlers.setVisible({ visible: true })
      contents.reload()
    })
  })
  contents.on('unresponsive', () => {
    log.note('a window is not responding')
    // Ends the page, unless the developer tools are open. A page that is paused in the debugger does not
    // respond either.
    if (!contents.isDevToolsOpened()) contents.forcefullyCrashRenderer()
  })
  return () => cancel()
}

/** Age at which a crash no longer counts, in milliseconds. */
export const FORGOTTEN_AFTER_MS = 300_000

interface RecoveryStep {
  readonly waitMs: number
  /** Times of recent crashes in monotonic milliseconds. Pass them to the next call. */
  readonly endedAtMs: readonly number[]
}

/** When to reload a page that crashed. The delay grows with each crash within `FORGOTTEN_AFTER_MS`. */
export function recoveryStep(endedAtMs: readonly number[], nowMs: number): RecoveryStep {
  const recent = endedAtMs.filter((atMs) => nowMs - atMs < FORGOTTEN_AFTER_MS)
  return {
    waitMs: retryDelayMs(RETRY.page, recent.length + 1, 0),
    endedAtMs: [...recent, nowMs].slice(-RETRY.page.stepsMs.length),
  }
}
