import { EventEmitter } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type {
  App,
  Dialog,
  GlobalShortcut,
  IpcMain,
  MenuItemConstructorOptions,
  NativeImage,
  PowerSaveBlocker,
  Protocol,
  Menu as RealMenu,
  Tray as RealTray,
  SafeStorage,
  Screen,
  Session,
  Shell,
} from 'electron'
import { takeOrders } from '../page/orders.ts'
import { closeBrowser, registered } from '../page/scheme-pages.ts'
import { called, report } from '../page/talk.ts'
import { PageWindow } from './page-window.ts'

/**
 * The parts of Electron that main/hosts/desktop uses. A test can use them as it can't use the real runtime:
 * click in the tray menu, suspend the machine, crash the process, answer a dialog.
 *
 * Every part has Electron's own types, so that no call is possible that Electron does not have. This double
 * proves nothing about Electron itself: its sandbox, its isolation and its fuses have other tests.
 */
type PlayedPaths = Pick<
  App,
  'isPackaged' | 'getPath' | 'setPath' | 'getVersion' | 'setName' | 'setAppUserModelId'
>
type PlayedLife = Pick<
  App,
  'requestSingleInstanceLock' | 'whenReady' | 'quit' | 'exit' | 'relaunch' | 'enableSandbox'
>

class DoubleApp extends EventEmitter implements PlayedPaths, PlayedLife {
  readonly isPackaged = false
  readonly #paths = new Map<string, string>()
  readonly #startedAgain = Promise.withResolvers<void>()
  #lockFile: string | undefined
  #isQuitting = false
  #isStopping = false

  readonly getVersion = () => '0.0.0'
  /** A test may delay this until the app is started a second time. */
  readonly whenReady = async () => {
    if (process.env['DOUBLE_READY'] === 'second-instance') await this.#startedAgain.promise
  }
  readonly getPath = (name: string) => this.#paths.get(name) ?? tmpdir()
  /** The name of the keyring's entry. DOUBLE_NAME sets the name that an earlier version used. */
  name = process.env['DOUBLE_NAME'] ?? 'Electron'
  readonly setName = (name: string) => {
    if (process.env['DOUBLE_NAME'] === undefined) this.name = name
    called('setName', name)
  }
  readonly relaunch = () => called('relaunch')
  readonly setAppUserModelId = (id: string) => called('setAppUserModelId', id)
  readonly enableSandbox = () => called('enableSandbox')

  setPath(name: string, path: string): void {
    if (!existsSync(path)) throw new Error(`${path} does not exist`)
    this.#paths.set(name, path)
  }

  /**
   * As in Electron, each user data folder has one lock. A signal informs the first process that a second one
   * started.
   */
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
      this.#startedAgain.resolve()
    })
    return true
  }

  /**
   * As in Electron, a call while quitting is ignored. After a prevented quit, `quit` works again once the
   * listeners and their microtasks have finished.
   */
  quit(): void {
    if (this.#isQuitting) return
    this.#isQuitting = true
    this.emit('before-quit', {})
    for (const window of PageWindow.all) window.close()
    const event = new Event('will-quit', { cancelable: true })
    this.emit(event.type, event)
    if (!event.defaultPrevented) this.exit(0)
    setImmediate(() => {
      this.#isQuitting = false
    })
  }

  /** As in Electron, `window-all-closed` is not emitted while quitting: `will-quit` follows instead. */
  allClosed(): void {
    if (!this.#isQuitting) this.emit('window-all-closed')
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
PageWindow.allClosed = () => doubleApp.allClosed()

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
  setDisplayMediaRequestHandler: () => {},
  on: () => {},
  webRequest: {
    onBeforeRequest: (listener: typeof registered.beforeRequest) => {
      if (listener != null) registered.beforeRequest = listener
    },
  },
} satisfies Partial<Record<keyof Session, unknown>>

class DoubleTray extends EventEmitter implements Partial<Record<keyof RealTray, unknown>> {
  readonly setImage = () => {}
  readonly setToolTip = (words: string) => called('Tray.setToolTip', words)
  readonly setContextMenu = (menu: RealMenu) => chooseFrom('Tray', menu)
  readonly destroy = () => called('Tray.destroy')
}

class DoubleNotification extends EventEmitter {
  static readonly isSupported = () => true
  readonly close = () => {}
  readonly #title: string | undefined

  constructor({ title }: Electron.NotificationConstructorOptions = {}) {
    super()
    this.#title = title
  }

  readonly show = () => called('Notification.show', this.#title)
}

const UNCLICKED_MS = 10_000

/** This double represents a menu by the template from which it was built. */
const templates = new Map<string, readonly MenuItemConstructorOptions[]>()
function chooseFrom(where: string, menu: RealMenu | null): void {
  const template = menu as unknown as readonly MenuItemConstructorOptions[]
  templates.set(where, template)
  called(
    `${where}.menu`,
    template.map(({ label, checked }) => (checked === true ? `✓ ${label}` : label)),
  )
}

export const app = doubleApp
export const BrowserWindow = PageWindow
export const protocol = doubleProtocol
export const session = { defaultSession }
/** An unlocked keyring. As a real one, it rejects ciphertext that it did not create. */
export const safeStorage: Pick<
  SafeStorage,
  'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
> = {
  isAsyncEncryptionAvailable: async () => true,
  encryptStringAsync: async (text) => Buffer.from(`v11${app.name}:${Buffer.from(text).toString('hex')}`),
  decryptStringAsync: async (encrypted) => {
    const [prefix, sealed = ''] = encrypted.toString().split(':')
    if (prefix !== `v11${app.name}`) throw new Error('not sealed here')
    return { shouldReEncrypt: false, result: Buffer.from(sealed, 'hex').toString() }
  },
  getSelectedStorageBackend: () => 'gnome_libsecret',
}
const display = { workArea: { x: 0, y: 0, width: 1600, height: 1000 } } as Electron.Display
export const screen = {
  getAllDisplays: () => [display],
  getPrimaryDisplay: () => display,
} satisfies Partial<Screen>
export const ipcMain: Pick<IpcMain, 'on' | 'removeAllListeners'> = new EventEmitter() as never
export const Menu = {
  buildFromTemplate: (template) => template as unknown as RealMenu,
  setApplicationMenu: (menu) => chooseFrom('Menu', menu),
} satisfies Partial<typeof RealMenu>
export const Tray = DoubleTray
export const Notification = DoubleNotification
export const powerMonitor = new EventEmitter()
export const powerSaveBlocker = { start: () => 1, stop: () => true } satisfies Partial<PowerSaveBlocker>
/** DOUBLE_SHORTCUT=taken means that another program has the shortcut. */
export const globalShortcut = {
  register: () => process.env['DOUBLE_SHORTCUT'] !== 'taken',
  unregister: () => {},
} satisfies Partial<GlobalShortcut>
const image = { addRepresentation: () => {}, setTemplateImage: () => {} } satisfies Partial<NativeImage>
export const nativeImage = {
  createEmpty: () => image as unknown as NativeImage,
}
export const dialog = {
  showSaveDialog: async (options: unknown) => {
    called('Dialog.showSaveDialog', options)
    return { canceled: false, filePath: join(app.getPath('userData'), 'report.txt') }
  },
  showMessageBox: async (options: unknown) => {
    called('Dialog.showMessageBox', options)
    return { response: 0, checkboxChecked: false }
  },
  /** As in Electron, the whole process blocks until a click. Here the click takes `UNCLICKED_MS`. */
  showErrorBox: (title: string) => {
    called('Dialog.showErrorBox', title)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, UNCLICKED_MS)
  },
} satisfies Partial<Record<keyof Dialog, unknown>>
export const shell = {} satisfies Partial<Shell>

// electron-store requires these when it is imported.
const everything = { app, ipcMain, shell }

// biome-ignore lint/style/noDefaultExport: it is what electron-store imports
export { everything as default }

takeOrders({
  windows: PageWindow.all,
  powerMonitor,
  quit: () => app.quit(),
  defect: (kind) => {
    if (kind === 'rejection') void Promise.reject(new Error('a defect'))
    else
      setImmediate(() => {
        throw new Error('a defect')
      })
  },
  exit: () => app.exit(1),
  choose: (label) => {
    const item = templates.get('Tray')?.find((each) => each.label === label)
    item?.click?.({} as never, undefined, {} as never)
  },
})
