import { join } from 'node:path'
import { minuteText } from '../../../app/status/moments.ts'
import type { Log, Notify } from '../../ports/ports.ts'
import { restoreFileMask } from '../../storage/private-files.ts'
import { type DesktopActions, type DesktopChoices, SHORTCUT } from './desktop-actions.ts'
import type { DesktopState } from './desktop-state.ts'
import type { ElectronPieces } from './electron-pieces.ts'
import { followPower, type Power } from './electron-power.ts'
import { MainWindow } from './main-window.ts'
import { menuTemplate } from './menu.ts'
import { followRotatingKeys } from './rotating-keys.ts'
import { saveReport } from './save-report.ts'
import type { DesktopDeps, RunningDesktop } from './start-desktop.ts'
import { StripWindow } from './strip-window.ts'
import { openTray } from './tray.ts'
import { followUpdates, withUpdates } from './updates.ts'

export interface ShellDeps
  extends Omit<DesktopDeps, 'windowFolder' | 'randomBytes' | 'process' | 'startApp'> {
  readonly running: RunningDesktop
  readonly power: Power
  readonly notify: Notify
}

/**
 * Interval in milliseconds and number of checks for a tray. After a login, a tray may appear later than the
 * app.
 */
const TRAY_LOOK_MS = 3_000
const TRAY_LOOKS = 10

export interface DesktopShell {
  /** Shows the main window, unless the app is quitting. */
  show(): void
  /** Closes the windows and the tray, and stops everything else. Does not quit the app. */
  close(): void
}

/** The visible part of the desktop host: the two windows, the tray, the menus and the shortcut. */
export function desktopShell(deps: ShellDeps): DesktopShell {
  const { electron, platform, state, loginItem, running, power, notify, clock, log } = deps
  const { app, Menu, shell } = electron
  const { monitor, switches } = running
  let isQuitting = false

  const sessionEnding = () => running.flush()
  const windows = withUpdates(running.windows, {
    state: () => updates.state(),
    setWanted: (wanted) => actions.setCheckForUpdates(wanted),
  })
  const window = new MainWindow({ ...deps, windows, sessionEnding, closed: () => void windowClosed() })
  const strip = new StripWindow({
    ...deps,
    windows,
    sessionEnding,
    changed: () => choicesChanged(),
    isQuitting: () => isQuitting,
  })
  const show = () => {
    if (!isQuitting) window.show()
  }
  const toggle = () => {
    if (!isQuitting) window.toggle()
  }
  const change = (changes: Partial<DesktopState>) => {
    state.change(changes)
    choicesChanged()
  }
  let hasShortcut = false
  const holdShortcut = (wanted: boolean) => {
    hasShortcut = setGlobalShortcut(electron, wanted, toggle, log)
    return hasShortcut
  }

  const rotatingKeys = followRotatingKeys({ monitor, power, notify, clockText: minuteText })
  // The setting is read once. The tray often needs it, and reading the registry or a file is slow.
  let openAtLogin = loginItem?.isSet() ?? false
  const updates = followUpdates({
    ...deps,
    isWanted: () => state.read().checkForUpdates,
    changed: () => choicesChanged(),
    // The address is allowed in an argument list, because it comes from the build and contains no secret.
    openPage: (url) => {
      const opened = restoreFileMask()
      return shell.openExternal(url).finally(opened)
    },
  })
  const choices = (): DesktopChoices => ({
    ...state.read(),
    // The stored choice remains if another program has the shortcut, and applies at the next start.
    globalShortcut: hasShortcut,
    openAtLogin,
    hasTray: deps.tray.isThere,
    updates: updates.state(),
  })
  const actions: DesktopActions = {
    showWindow: show,
    toggleStrip: () => strip.toggle(),
    tryNow: () => {
      for (const profile of monitor.profiles())
        monitor.withProfile(profile, (session) => session.tryNow({ ofAllKeys: true }))
    },
    stopOrders: () => {
      const stopped = switches.stop()
      if (!stopped.ok) log.note('stopping orders failed', { why: stopped.message })
    },
    saveReport: () => {
      const wallMs = clock.wallMs
      saveReport({ ...deps, monitor, state: state.read, wallMs }).catch((error: unknown) =>
        log.note('creating the report failed', { cause: error }),
      )
    },
    showLog: () => shell.showItemInFolder(join(deps.dataFolder, 'headroom.log')),
    setCloseToTray: (closeToTray) => change({ closeToTray }),
    setGlobalShortcut: (wanted) => change({ globalShortcut: holdShortcut(wanted) }),
    setKeepAwake: (keepAwake) => {
      rotatingKeys.setKeepAwake(keepAwake)
      change({ keepAwake })
    },
    ...(loginItem !== undefined && {
      setOpenAtLogin: (wanted: boolean) => {
        try {
          loginItem.set(wanted)
          openAtLogin = loginItem.isSet()
        } catch (error) {
          log.note('changing Start at Login failed', { cause: error })
        }
        choicesChanged()
      },
    }),
    setCheckForUpdates: (checkForUpdates) => {
      change({ checkForUpdates })
      updates.wantedChanged()
    },
    proceedWithUpdate: () => updates.proceed(),
    quit: () => app.quit(),
  }
  let tray = openTray({ electron, platform, monitor, clock, choices, actions })

  function choicesChanged(): void {
    const template = menuTemplate({ platform, isPackaged: app.isPackaged, choices: choices(), actions })
    Menu.setApplicationMenu(Menu.buildFromTemplate(template))
    tray.changed()
  }

  /** Called when the window was closed. The first time, notifies that the app continues in the tray. */
  async function windowClosed(): Promise<void> {
    if (isQuitting || !state.read().closeToTray || state.read().toldOfTray) return
    if (!(await deps.tray.ask()) || isQuitting) return
    state.change({ toldOfTray: true })
    notify({
      title: 'Headroom keeps running in the tray',
      body: 'Monitoring continues. Quit from the tray icon.',
      tag: 'tray',
      isUrgent: false,
    })
  }

  /** Quits after the last window was closed, unless a tray icon keeps the app reachable. */
  async function allWindowsClosed(): Promise<void> {
    // macOS apps continue without a window.
    if (platform === 'darwin' || isQuitting) return
    if (state.read().closeToTray && (await deps.tray.ask())) return
    if (electron.BrowserWindow.getAllWindows().length === 0) app.quit()
  }

  let cancelLook = () => {}
  /** Waits for a tray after a start without a window. Shows the window if no tray appears. */
  function lookForTray(looks: number): void {
    cancelLook = clock.after(TRAY_LOOK_MS, async () => {
      if (window.isOpen || isQuitting) return
      const hasTray = await deps.tray.ask()
      if (isQuitting) return
      if (hasTray) {
        // The current icon was created before there was a tray, so it is created again.
        tray.close()
        tray = openTray({ electron, platform, monitor, clock, choices, actions })
        choicesChanged()
      } else if (looks > 1) lookForTray(looks - 1)
      else show()
    })
  }

  app.on('before-quit', () => {
    isQuitting = true
  })
  // Delays the shutdown of the system until the app has quit.
  electron.powerMonitor.on('shutdown', (event?: { preventDefault(): void }) => {
    event?.preventDefault()
    app.quit()
  })
  app.on('window-all-closed', allWindowsClosed)
  const stopFollowing = followPower(power, monitor, log)

  const { globalShortcut, keepAwake } = state.read()
  holdShortcut(globalShortcut)
  rotatingKeys.setKeepAwake(keepAwake)
  choicesChanged()
  strip.restore()
  if (!deps.inTray) show()
  else if (!deps.tray.isThere) lookForTray(TRAY_LOOKS)

  return {
    show,
    close: () => {
      isQuitting = true
      // After a defect, windows are still open. They must not show numbers that nothing updates.
      window.close()
      strip.close()
      stopFollowing()
      cancelLook()
      updates.close()
      holdShortcut(false)
      rotatingKeys.close()
      tray.close()
    },
  }
}

/** Registers or unregisters the global shortcut. Returns whether this app has it. */
function setGlobalShortcut(
  { globalShortcut }: Pick<ElectronPieces, 'globalShortcut'>,
  wanted: boolean,
  pressed: () => void,
  log: Log,
): boolean {
  globalShortcut.unregister(SHORTCUT)
  if (!wanted) return false
  const isOurs = globalShortcut.register(SHORTCUT, pressed)
  if (!isOurs) log.note('another program uses the shortcut', { shortcut: SHORTCUT })
  return isOurs
}
