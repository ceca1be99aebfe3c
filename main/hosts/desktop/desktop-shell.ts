import { join } from 'node:path'
import type { Notify } from '../../ports/notify.ts'
import type { Log } from '../../ports/ports.ts'
import type { Power } from '../../ports/power.ts'
import { type DesktopActions, type DesktopChoices, SHORTCUT } from './desktop-actions.ts'
import type { DesktopState } from './desktop-state.ts'
import type { ElectronPieces } from './electron-pieces.ts'
import { followPower } from './follow-power.ts'
import { MainWindow } from './main-window.ts'
import { menuTemplate } from './menu.ts'
import { followRotatingKeys } from './rotating-keys.ts'
import { saveReport } from './save-report.ts'
import type { DesktopDeps, RunningApp } from './start-desktop.ts'
import { StripWindow } from './strip-window.ts'
import { openTray } from './tray.ts'
import { followUpdates, withUpdates } from './updates.ts'

export interface ShellDeps
  extends Pick<
    DesktopDeps,
    | 'electron'
    | 'platform'
    | 'version'
    | 'preloadPath'
    | 'dataFolder'
    | 'state'
    | 'loginItem'
    | 'inTray'
    | 'tray'
    | 'iconPath'
    | 'updater'
    | 'clock'
    | 'log'
  > {
  readonly running: RunningApp
  readonly power: Power
  readonly notify: Notify
}

/** After a login the desktop may show its tray later than it starts apps. */
const TRAY_LOOK_MS = 3_000
const TRAY_LOOKS = 10

export interface DesktopShell {
  show(): void
  close(): void
}

/** What a person sees and touches: the two windows, the tray, the menus, the shortcut. */
export function desktopShell(deps: ShellDeps): DesktopShell {
  const { electron, platform, state, loginItem, running, power, notify, clock, log } = deps
  const { app, Menu, shell } = electron
  const { monitor } = running
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
  const show = () => window.show()
  const change = (changes: Partial<DesktopState>) => {
    state.change(changes)
    choicesChanged()
  }
  const holdShortcut = (wanted: boolean) =>
    setGlobalShortcut(electron, wanted, () => window.toggle(), log) && wanted

  const rotatingKeys = followRotatingKeys({ monitor, power, notify, clockText })
  // Asked once: it is the system's registry or a file, and the tray looks at the choices all day.
  let openAtLogin = loginItem?.isSet() ?? false
  const updates = followUpdates({
    ...deps,
    isWanted: () => state.read().checkForUpdates,
    changed: () => choicesChanged(),
    // Of the build's own repository, and no secret.
    openPage: (url) => shell.openExternal(url),
  })
  const choices = (): DesktopChoices => ({
    ...state.read(),
    openAtLogin,
    hasTray: deps.tray.isThere,
    updates: updates.state(),
  })
  const actions: DesktopActions = {
    showWindow: show,
    toggleStrip: () => strip.toggle(),
    tryNow: () => {
      for (const profile of monitor.profiles()) monitor.withProfile(profile, (session) => session.tryNow())
    },
    saveReport: () => {
      const wallMs = clock.wallMs
      saveReport({ ...deps, monitor, state: state.read, wallMs }).catch((error: unknown) =>
        log.note('the report could not be made', { cause: error }),
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
          log.note('the start at login could not be changed', { cause: error })
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

  /** Said once: somebody who closed the window would otherwise believe that nothing is watched any more. */
  async function windowClosed(): Promise<void> {
    if (isQuitting || !state.read().closeToTray || state.read().toldOfTray) return
    if (!(await deps.tray.ask()) || isQuitting) return
    state.change({ toldOfTray: true })
    notify({
      title: 'Headroom goes on in the tray',
      body: 'Quotas, streams and tokens are still watched. Quit from the tray icon.',
      tag: 'tray',
      isUrgent: false,
    })
  }

  /** The last window is closed: without a tray nobody could reach the app any more. */
  async function allWindowsClosed(): Promise<void> {
    // On macOS an app goes on without a window until it is told to quit.
    if (platform === 'darwin') return
    if (state.read().closeToTray && (await deps.tray.ask())) return
    if (electron.BrowserWindow.getAllWindows().length === 0) app.quit()
  }

  let cancelLook = () => {}
  /** Started without a window, on a desktop that shows no tray icon yet. */
  function lookForTray(looks: number): void {
    cancelLook = clock.after(TRAY_LOOK_MS, async () => {
      if (window.isOpen || isQuitting) return
      if (await deps.tray.ask()) {
        // The icon was made when nothing would show it.
        tray.close()
        tray = openTray({ electron, platform, monitor, clock, choices, actions })
        choicesChanged()
      } else if (looks > 1) lookForTray(looks - 1)
      else window.show()
    })
  }

  app.on('before-quit', () => {
    isQuitting = true
  })
  // The system shuts down: held off for as long as the end takes.
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
  if (!deps.inTray) window.show()
  else if (!deps.tray.isThere) lookForTray(TRAY_LOOKS)

  return {
    show,
    close: () => {
      stopFollowing()
      cancelLook()
      updates.close()
      holdShortcut(false)
      rotatingKeys.close()
      tray.close()
    },
  }
}

/** Hours and minutes, as this system writes them. */
const clockText = (atMs: number): string =>
  new Date(atMs).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })

/** Set or not as wanted; `false` when the system or another program has it already. */
function setGlobalShortcut(
  { globalShortcut }: Pick<ElectronPieces, 'globalShortcut'>,
  wanted: boolean,
  pressed: () => void,
  log: Log,
): boolean {
  globalShortcut.unregister(SHORTCUT)
  if (!wanted) return true
  const isOurs = globalShortcut.register(SHORTCUT, pressed)
  if (!isOurs) log.note('another program has the shortcut', { shortcut: SHORTCUT })
  return isOurs
}
