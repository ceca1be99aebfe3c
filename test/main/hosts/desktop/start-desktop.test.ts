import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDesktopState } from '../../../../main/hosts/desktop/desktop-state.ts'
import type { ElectronPieces } from '../../../../main/hosts/desktop/electron-pieces.ts'
import {
  type DesktopDeps,
  type RunningDesktop,
  startDesktop,
} from '../../../../main/hosts/desktop/start-desktop.ts'
import { proves } from '../../../proof/proves.ts'
import { SteppedClock } from '../../stepped-clock.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'

class StartingApp extends EventEmitter {
  readonly isPackaged = true
  exits: number[] = []
  readonly setPath = () => {}
  readonly requestSingleInstanceLock = () => true
  readonly setAppUserModelId = () => {}
  readonly enableSandbox = () => {}
  readonly whenReady = async () => {}
  readonly exit = (code = 0) => void this.exits.push(code)
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
const NOTHING = () => {}

/** The desktop host until its app has started. `tray` is the answer to the question for a tray. */
function starting(startApp: DesktopDeps['startApp'], tray: Promise<boolean>) {
  const app = new StartingApp()
  const dataFolder = temporaryFolder()
  const windowFolder = join(dataFolder, 'window')
  mkdirSync(windowFolder)
  writeFileSync(join(windowFolder, 'index.html'), '')
  const windows: string[] = []
  const defaultSession = {
    setPermissionRequestHandler: NOTHING,
    setPermissionCheckHandler: NOTHING,
    setDevicePermissionHandler: NOTHING,
    setDisplayMediaRequestHandler: NOTHING,
    webRequest: { onBeforeRequest: NOTHING },
    on: NOTHING,
    protocol: { handle: NOTHING },
  }
  const electron = {
    app,
    protocol: { registerSchemesAsPrivileged: NOTHING },
    session: { defaultSession },
    Notification: { isSupported: () => false },
    // The first part that the shell uses. No window may follow.
    powerMonitor: { on: () => void windows.push('shell'), off: NOTHING },
  } as unknown as ElectronPieces
  const ended = startDesktop({
    electron,
    platform: 'linux',
    version: '1.0.0',
    windowFolder,
    preloadPath: join(windowFolder, 'preload.cjs'),
    dataFolder,
    state: { read: () => readDesktopState({}), change: () => ({ ok: true }) },
    tray: { isThere: false, ask: () => tray },
    loginItem: undefined,
    updater: undefined,
    inTray: false,
    clock: new SteppedClock(),
    randomBytes,
    log: { note: NOTHING },
    process: { on: () => process },
    startApp,
  })
  return { app, ended, windows }
}

test.each(['its app', 'the answer about a tray'])(
  'a quit while the start awaits %s stops the app, exits, and opens no window',
  async (awaited) => {
    const app = Promise.withResolvers<RunningDesktop>()
    const tray = Promise.withResolvers<boolean>()
    let stops = 0
    const stop = async () => {
      stops += 1
    }
    const desktop = starting(() => app.promise, tray.promise)
    await nextTurn()
    const running = { stop } as RunningDesktop
    if (awaited === 'its app') tray.resolve(true)
    else app.resolve(running)
    await nextTurn()
    desktop.app.emit('will-quit', new Event('will-quit'))
    await nextTurn()
    app.resolve(running)
    tray.resolve(true)
    await desktop.ended
    await nextTurn()
    expect([stops, desktop.app.exits, desktop.windows]).toEqual([1, [0], []])
    proves('W8', { level: 1, cases: 1 })
  },
)
