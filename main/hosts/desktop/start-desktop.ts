import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Announcer, throughNotify } from '../../alerts/announcer.ts'
import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import type { Clock, Log, RandomBytes } from '../../ports/ports.ts'
import type { OrderSwitches } from '../../sign-in/order-switches.ts'
import { readWindowFiles } from '../window-files.ts'
import type { Windows } from '../window-session.ts'
import { APP_SCHEME, appScheme } from './app-scheme.ts'
import { followDefects } from './defects.ts'
import { type DesktopShell, desktopShell } from './desktop-shell.ts'
import type { DesktopStateStore } from './desktop-state.ts'
import { systemNotices } from './electron-notify.ts'
import type { ElectronPieces } from './electron-pieces.ts'
import { electronPower } from './electron-power.ts'
import { hardenContents, hardenSession } from './hardening.ts'
import type { LoginItem } from './login-item.ts'
import { endAfterStop } from './quit.ts'
import { nameDownload } from './save-report.ts'
import type { TrayPresence } from './tray-presence.ts'
import type { Updater } from './updates.ts'

/** The parts of the running app that the desktop host uses. */
export interface RunningDesktop {
  readonly switches: Pick<OrderSwitches, 'stop'>
  readonly windows: Windows
  readonly monitor: Pick<
    MonitorSurface,
    'profiles' | 'snapshot' | 'subscribe' | 'withProfile' | 'sleep' | 'wake'
  >
  stop(): Promise<void>
  /** Writes unsaved data, synchronously. */
  flush(): void
}

export interface DesktopDeps {
  readonly electron: ElectronPieces
  readonly platform: NodeJS.Platform
  readonly version: string
  /** The built window: `dist/window`. */
  readonly windowFolder: string
  /**
   * `dist/desktop/icon.png`, for windows. Absent on macOS, where the Dock shows the icon of the app bundle.
   */
  readonly iconPath?: string
  readonly tray: TrayPresence
  /** `dist/desktop/preload.cjs`. */
  readonly preloadPath: string
  readonly dataFolder: string
  readonly state: DesktopStateStore
  readonly loginItem: LoginItem | undefined
  /** Absent if the build has no update feed. */
  readonly updater: Updater | undefined
  /** Whether the system started the app at login. If so, no window is shown at first. */
  readonly inTray: boolean
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly log: Log
  /** The process whose uncaught errors are handled. */
  readonly process: Pick<NodeJS.Process, 'on'>
  /** Called once Electron is ready, and only in the first instance. */
  readonly startApp: (ports: { readonly announcer: Announcer }) => Promise<RunningDesktop>
}

/**
 * The id by which Windows groups notifications and taskbar buttons. Equal to `appId` in electron-builder.yml.
 */
const APP_ID = 'app.headroom.desktop'

/**
 * Starts the desktop host, one instance per data folder. A second start shows the first instance's window and
 * exits.
 *
 * No `await` may precede the calls that must come before Electron's `ready`.
 */
export async function startDesktop(deps: DesktopDeps): Promise<void> {
  const { electron, clock, log } = deps
  const { app, protocol, session } = electron
  // Chromium's profile contains the single-instance lock, so the profile is in the data folder.
  const profileFolder = join(deps.dataFolder, 'desktop')
  mkdirSync(profileFolder, { recursive: true, mode: 0o700 })
  app.setPath('userData', profileFolder)
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return
  }
  let shell: DesktopShell | undefined
  let isWanted = !deps.inTray
  const show = () => {
    isWanted = true
    shell?.show()
  }
  // These listeners are registered before slow steps such as opening the keyring, because the app can be
  // launched again during these steps.
  app.on('second-instance', show)
  app.on('activate', show)
  app.setAppUserModelId(APP_ID)
  protocol.registerSchemesAsPrivileged([APP_SCHEME])
  hardenContents(app)
  const files = readWindowFiles(deps.windowFolder)
  await app.whenReady()

  hardenSession(session.defaultSession, app.isPackaged, nameDownload(app))
  session.defaultSession.protocol.handle('app', appScheme(files, deps.randomBytes))
  const { notify, withdraw } = systemNotices(electron, show, log)
  let starting: Promise<RunningDesktop> | undefined
  let isEnding = false
  const stop = endAfterStop({
    app,
    clock,
    log,
    stop: async () => {
      isEnding = true
      shell?.close()
      // Waits for an app that is still starting, because it may already have requested a new token.
      const running = await starting
      await running?.stop()
    },
  })
  followDefects({
    process: deps.process,
    electron,
    log,
    stop,
    notify: (body) => notify({ title: 'Headroom', body, tag: 'defect', isUrgent: false }),
  })
  const announcer = { ...throughNotify(notify), withdraw }
  starting = deps.startApp({ announcer })
  const [running] = await Promise.all([starting, deps.tray.ask()])
  if (isEnding) return
  const power = electronPower(electron)
  shell = desktopShell({ ...deps, running, notify, power, inTray: !isWanted })
}
