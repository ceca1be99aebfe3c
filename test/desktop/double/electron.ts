import { EventEmitter } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App, IpcMain, Protocol, Menu as RealMenu, Screen, Session } from 'electron'
import { PageWindow } from './page-window.ts'
import { closeBrowser, registered } from './scheme-pages.ts'
import { type Order, report } from './talk.ts'

/**
 * Electron as far as main/desktop uses it, for machines on which its runtime does not start.
 *
 * Every part is typed as a part of Electron's own types, so that nothing here can be called that Electron does not
 * have. It is no evidence for what Electron itself does: its sandbox, isolation and fuses are its own tests' business.
 */
type PlayedPaths = Pick<App, 'isPackaged' | 'getPath' | 'setPath' | 'getVersion'>
type PlayedLife = Pick<App, 'requestSingleInstanceLock' | 'whenReady' | 'quit' | 'exit'>

class DoubleApp extends EventEmitter implements PlayedPaths, PlayedLife {
  readonly isPackaged = false
  readonly #paths = new Map<string, string>()
  #lockFile: string | undefined
  #isStopping = false

  readonly getVersion = () => '0.0.0'
  readonly whenReady = async () => {}
  readonly getPath = (name: string) => this.#paths.get(name) ?? tmpdir()

  setPath(name: string, path: string): void {
    if (!existsSync(path)) throw new Error(`${path} does not exist`)
    this.#paths.set(name, path)
  }

  /** One of each user data folder, as with Electron; a signal tells the first of the second. */
  requestSingleInstanceLock(): boolean {
    const file = join(this.getPath('userData'), 'double-instance.pid')
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
    } catch {
      process.kill(Number(readFileSync(file, 'utf8')), 'SIGUSR2')
      return false
    }
    this.#lockFile = file
    process.on('SIGUSR2', () => {
      report({ kind: 'second-instance' })
      this.emit('second-instance', {}, [], '', undefined)
    })
    return true
  }

  quit(): void {
    const event = new Event('will-quit', { cancelable: true })
    this.emit(event.type, event)
    if (!event.defaultPrevented) this.exit(0)
  }

  exit(code = 0): void {
    if (this.#isStopping) return
    this.#isStopping = true
    if (this.#lockFile !== undefined) rmSync(this.#lockFile, { force: true })
    void closeBrowser().finally(() => process.exit(code))
  }
}

const doubleApp = new DoubleApp()
PageWindow.contentsCreated = (contents) => doubleApp.emit('web-contents-created', {}, contents)

const doubleProtocol = {
  registerSchemesAsPrivileged: () => {},
  handle: (scheme, handler) => {
    if (scheme === 'app') registered.handler = handler
  },
} satisfies Partial<Protocol>

const defaultSession = {
  protocol: doubleProtocol,
  setPermissionRequestHandler: () => {},
  setPermissionCheckHandler: () => {},
  setDevicePermissionHandler: () => {},
  on: () => {},
  webRequest: {
    onBeforeRequest: (listener: typeof registered.beforeRequest) => {
      if (listener != null) registered.beforeRequest = listener
    },
  },
} satisfies Partial<Record<keyof Session, unknown>>

export const app = doubleApp
export const BrowserWindow = PageWindow
export const protocol = doubleProtocol
export const session = { defaultSession } satisfies Partial<
  Record<keyof typeof import('electron/main').session, unknown>
>
export const screen = { getAllDisplays: () => [] } satisfies Partial<Screen>
const mainChannels: Pick<IpcMain, 'handle' | 'removeAllListeners'> = Object.assign(new EventEmitter(), {
  handle: () => {},
}) as never
export const ipcMain = mainChannels
export const Menu = {
  buildFromTemplate: () => ({}) as RealMenu,
  setApplicationMenu: () => {},
} satisfies Partial<typeof RealMenu>
export const shell = {}

// electron-store asks for all of it at once.
const everything = { app, BrowserWindow, ipcMain, Menu, protocol, screen, session, shell }

// biome-ignore lint/style/noDefaultExport: it is what electron-store imports
export { everything as default }

process.on('SIGTERM', () => app.quit())
process.on('disconnect', () => app.exit(1))
process.on('message', (order: Order) => {
  const window = PageWindow.all.at(-1)
  switch (order.kind) {
    case 'evaluate':
      window?.webContents.page?.evaluate(order.expression).then(
        (value) => report({ kind: 'evaluated', id: order.id, value }),
        (error: unknown) => report({ kind: 'evaluated', id: order.id, error: String(error) }),
      )
      break
    case 'minimize-window':
      window?.minimize()
      break
    case 'close-window':
      window?.close()
      if (PageWindow.all.every((each) => each.isDestroyed())) app.emit('window-all-closed')
      break
  }
})
