import { EventEmitter } from 'node:events'
import type { Page } from '@playwright/test'
import type {
  BrowserWindowConstructorOptions,
  IpcMain,
  IpcMainInvokeEvent,
  BrowserWindow as RealWindow,
  WebContents,
} from 'electron'
import { PageWorld, type SendingFrame } from '../page/page-world.ts'
import { browserContext, playScheme, toAppUrl, toPlayedUrl } from '../page/scheme-pages.ts'
import { called, report } from '../page/talk.ts'

type PlayedContents = Pick<
  WebContents,
  | 'id'
  | 'getURL'
  | 'isDestroyed'
  | 'isCrashed'
  | 'isDevToolsOpened'
  | 'forcefullyCrashRenderer'
  | 'send'
  | 'reload'
  | 'setWindowOpenHandler'
>
type InvokeListener = Parameters<IpcMain['handle']>[1]

class PageContents extends EventEmitter implements PlayedContents {
  readonly channels = new Map<string, InvokeListener>()
  readonly ipc: Pick<IpcMain, 'handle'> = {
    handle: (channel, listener) => void this.channels.set(channel, listener),
  }
  readonly id: number
  readonly #preloadPath: string | undefined
  page: Page | undefined
  world: PageWorld | undefined
  url = ''
  isGone = false
  #isCrashed = false
  #loads = 0

  constructor(id: number, preloadPath: string | undefined) {
    super()
    this.id = id
    this.#preloadPath = preloadPath
  }

  readonly isDestroyed = () => this.isGone
  readonly getURL = () => this.url
  readonly isCrashed = () => this.#isCrashed
  readonly isDevToolsOpened = () => false
  readonly forcefullyCrashRenderer = () => this.world?.crash()
  /** A page whose process ended can't be reloaded here, so a new page replaces it. */
  readonly reload = () => void this.load().catch(() => {})

  /** As in Electron, a page that is being replaced receives nothing. */
  send(channel: string, ...[value]: unknown[]): void {
    this.world?.hear(channel, value).catch(() => {})
  }

  setWindowOpenHandler(): void {}

  async load(): Promise<void> {
    void this.page?.close()
    const page = await (await browserContext()).newPage()
    this.page = page
    let isOurs = true // what the app itself loads is not asked about
    await playScheme(page, (target) => isOurs || this.#mayNavigate(target))
    if (this.#preloadPath !== undefined)
      this.world = await PageWorld.open(page, this.#preloadPath, (frame, channel, arg) =>
        this.#invoke(frame, channel, arg),
      )
    page.on('crash', () => {
      report({ kind: 'page-ended' })
      this.#isCrashed = true
      this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 })
    })
    page.on('load', () => {
      isOurs = false
      this.emit('did-finish-load')
      report({ kind: 'page-loaded', id: this.id, count: ++this.#loads })
    })
    this.#isCrashed = false
    await page.goto(toPlayedUrl(this.url))
  }

  #mayNavigate(url: string): boolean {
    return ['will-frame-navigate', 'will-navigate'].every((name) => {
      const event = new Event(name, { cancelable: true })
      this.emit(event.type, Object.assign(event, { url, isMainFrame: true }), url)
      return !event.defaultPrevented
    })
  }

  async #invoke({ url, isMain }: SendingFrame, channel: string, arg: unknown): Promise<unknown> {
    const listener = this.channels.get(channel)
    if (listener === undefined) throw new Error(`No handler registered for '${channel}'`)
    const senderFrame = { url: toAppUrl(url), isDestroyed: () => false, parent: isMain ? null : {} }
    return listener({ sender: this, senderFrame } as unknown as IpcMainInvokeEvent, arg)
  }
}

type PlayedWindow = Pick<
  RealWindow,
  | 'loadURL'
  | 'show'
  | 'focus'
  | 'restore'
  | 'maximize'
  | 'close'
  | 'destroy'
  | 'getNormalBounds'
  | 'getBounds'
> &
  Pick<RealWindow, 'isMinimized' | 'isMaximized' | 'isFocused' | 'isDestroyed'> &
  Pick<RealWindow, 'setAlwaysOnTop' | 'setVisibleOnAllWorkspaces'>

/** Electron's window as a page of a real Chromium. */
export class PageWindow extends EventEmitter implements PlayedWindow {
  static readonly all: PageWindow[] = []
  static readonly getAllWindows = () => PageWindow.all.filter((window) => !window.isDestroyed())
  static contentsCreated: (contents: PageContents) => void = () => {}
  static allClosed: () => void = () => {}
  readonly webContents: PageContents
  readonly #options: BrowserWindowConstructorOptions

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super()
    this.#options = options
    this.webContents = new PageContents(PageWindow.all.length + 1, options.webPreferences?.preload)
    PageWindow.all.push(this)
    PageWindow.contentsCreated(this.webContents)
    report({ kind: 'window-opened', id: this.webContents.id, options: { ...options } })
  }

  async loadURL(url: string): Promise<void> {
    this.webContents.url = url
    await this.webContents.load()
    this.emit('ready-to-show')
  }

  readonly focus = () => {}
  readonly isMinimized = () => false
  readonly isMaximized = () => false
  readonly isFocused = () => false
  readonly isDestroyed = () => this.webContents.isGone
  readonly maximize = () => called('maximize')
  readonly setAlwaysOnTop = (...args: unknown[]) => called('setAlwaysOnTop', args)
  readonly setVisibleOnAllWorkspaces = (visible: boolean) => called('setVisibleOnAllWorkspaces', visible)

  show(): void {
    report({ kind: 'window-shown', id: this.webContents.id })
    this.emit('show')
  }

  restore(): void {}

  getBounds(): Electron.Rectangle {
    const { x = 11, y = 12, width = 800, height = 600 } = this.#options
    return { x, y, width, height }
  }

  readonly getNormalBounds = () => this.getBounds()

  close(): void {
    if (this.webContents.isGone) return
    this.emit('close')
    this.destroy()
  }

  /** As in Electron, `close` is not emitted. */
  destroy(): void {
    if (this.webContents.isGone) return
    this.webContents.isGone = true
    void this.webContents.page?.close()
    this.emit('closed')
    report({ kind: 'window-closed', id: this.webContents.id })
    if (PageWindow.all.every((window) => window.isDestroyed())) PageWindow.allClosed()
  }
}
