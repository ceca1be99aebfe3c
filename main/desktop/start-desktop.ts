import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import type { RandomBytes } from '../browser/admission.ts'
import { readWindowFiles } from '../browser/window-files.ts'
import type { Log } from '../ports/ports.ts'
import type { Windows } from '../windows.ts'
import { APP_SCHEME, appScheme } from './app-scheme.ts'
import { openAppWindow } from './app-window.ts'
import type { ElectronPieces } from './electron-pieces.ts'
import { hardenContents, hardenSession } from './hardening.ts'
import { menuTemplate } from './menu.ts'
import type { WindowStateStore } from './window-bounds.ts'

/** The app behind the window. */
export interface RunningApp {
  readonly windows: Windows
  stop(): Promise<void>
}

export interface DesktopDeps {
  readonly electron: ElectronPieces
  readonly platform: NodeJS.Platform
  /** The built window: `dist/window`. */
  readonly windowFolder: string
  /** `dist/desktop/preload.cjs`. */
  readonly preloadPath: string
  readonly dataFolder: string
  readonly windowState: WindowStateStore
  readonly randomBytes: RandomBytes
  readonly log: Log
  /** Called once, and only by the instance that runs. */
  readonly startApp: () => Promise<RunningApp>
}

/**
 * One instance for each data folder: a second start brings the first one's window to the front and ends.
 *
 * Everything up to the first `await` must happen before Electron is ready, which is why nothing is awaited there.
 */
export async function startDesktop(deps: DesktopDeps): Promise<void> {
  const { electron, platform, log } = deps
  const { app, Menu, protocol, session } = electron
  // Chromium's profile, and with it the lock of the single instance: one for each data folder.
  const profileFolder = join(deps.dataFolder, 'desktop')
  mkdirSync(profileFolder, { recursive: true })
  app.setPath('userData', profileFolder)
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return
  }
  protocol.registerSchemesAsPrivileged([APP_SCHEME])
  hardenContents(app)

  const files = readWindowFiles(deps.windowFolder)
  const running = await deps.startApp()
  stopBeforeQuit(app, running, log)
  await app.whenReady()

  hardenSession(session.defaultSession, app.isPackaged)
  session.defaultSession.protocol.handle('app', appScheme(files, deps.randomBytes))
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(platform, app.isPackaged)))

  let window: BrowserWindow | undefined
  const open = async () => {
    window = await openAppWindow({ ...deps, windows: running.windows })
  }
  const show = () => {
    if (window === undefined || window.isDestroyed()) {
      void open().catch((error: unknown) => log.note('the window could not be opened', { cause: error }))
      return
    }
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
  }
  app.on('second-instance', show)
  app.on('activate', show)
  app.on('window-all-closed', () => {
    // On macOS an app goes on without a window until it is told to quit.
    if (platform !== 'darwin') app.quit()
  })
  await open()
}

/** Streams are closed and stores are written before the process ends: their slots are free at once. */
function stopBeforeQuit(app: ElectronPieces['app'], running: RunningApp, log: Log): void {
  let stage: 'running' | 'stopping' | 'stopped' = 'running'
  app.on('will-quit', (event) => {
    if (stage === 'stopped') return
    event.preventDefault()
    if (stage === 'stopping') return
    stage = 'stopping'
    void running
      .stop()
      .catch((error: unknown) => log.note('stopping failed', { cause: error }))
      .finally(() => {
        stage = 'stopped'
        app.quit()
      })
  })
}
