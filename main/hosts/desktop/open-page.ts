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
import { APP_NAME } from './app-name.ts'
import type { ElectronPieces } from './electron-pieces.ts'
import { windowPreferences } from './hardening.ts'
import { isOurFrame, publish, serve } from './ipc.ts'
import { HEARD_CHANNEL, pacedPushes } from './paced-pushes.ts'

export interface PageDeps {
  readonly electron: Pick<ElectronPieces, 'app' | 'BrowserWindow'>
  readonly windows: Windows
  readonly preloadPath: string
  readonly clock: Clock
  readonly log: Log
  /** In the window's title bar and in the taskbar; absent where the system takes it from the app's bundle. */
  readonly iconPath?: string
  /** Windows ends the person's session: what is not written yet is lost unless it is written before this returns. */
  readonly sessionEnding: () => void
}

/** The page's own background, so that a slow first paint is not a white flash. */
const BACKGROUND = '#0e1116'

/** One window of ours with its session, which ends with it. Shown when it is painted. */
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
  // This page's own channels: another page's messages do not even arrive here.
  const isOurs = (event: IpcMainInvokeEvent) => isOurFrame(event, webContents)
  serve(contract, session.handlers, webContents.ipc, isOurs, log)
  webContents.ipc.handle(HEARD_CHANNEL, (event) => {
    if (isOurs(event)) paced.heard()
  })
  webContents.on('did-finish-load', () => paced.startOver())
  const stopRecovering = recover(webContents, session, clock, log)

  // The first may still be called off, so that nothing is stopped then; after the second there is no time for more.
  window.on('query-session-end', sessionEnding)
  window.on('session-end', sessionEnding)
  window.once('ready-to-show', () => window.show())
  window.on('closed', () => {
    stopRecovering()
    session.close()
  })
  window.loadURL(url).catch((error: unknown) => {
    if (!window.isDestroyed()) log.note('the page of a window could not be loaded', { cause: error })
  })
  return window
}

/** Main loses nothing with a page: the new one asks for the latest snapshot, as any new window does. */
function recover(contents: WebContents, session: WindowSession, clock: Clock, log: Log): () => void {
  let endedAtMs: readonly number[] = []
  let cancel = () => {}
  contents.on('render-process-gone', (_event, { reason }) => {
    // What a window being closed reports.
    if (reason === 'clean-exit') return
    const step = recoveryStep(endedAtMs, clock.monotonicMs())
    endedAtMs = step.endedAtMs
    log.note('the page of a window ended', { reason, waitMs: step.waitMs })
    cancel()
    cancel = clock.after(step.waitMs, () => {
      if (contents.isDestroyed()) return
      // The page that ended may have been hidden; the next one says so only if it is.
      void session.handlers.setVisible({ visible: true })
      contents.reload()
    })
  })
  contents.on('unresponsive', () => {
    log.note('the page of a window does not answer')
    // Under a debugger it stands still on purpose.
    if (!contents.isDevToolsOpened()) contents.forcefullyCrashRenderer()
  })
  return () => cancel()
}

/** A crash of the page longer ago than this no longer counts. */
export const FORGOTTEN_AFTER_MS = 300_000

interface RecoveryStep {
  readonly waitMs: number
  /** To be passed in at the next crash, in milliseconds. */
  readonly endedAtMs: readonly number[]
}

/** When a page that crashed is loaded again: later each time it crashes within a few minutes. */
export function recoveryStep(endedAtMs: readonly number[], nowMs: number): RecoveryStep {
  const recent = endedAtMs.filter((atMs) => nowMs - atMs < FORGOTTEN_AFTER_MS)
  return {
    waitMs: retryDelayMs(RETRY.page, recent.length + 1, 0),
    endedAtMs: [...recent, nowMs].slice(-RETRY.page.stepsMs.length),
  }
}
