import { EventEmitter } from 'node:events'
import type { Frame, Page } from '@playwright/test'
import type {
  BrowserWindowConstructorOptions,
  IpcMain,
  IpcMainInvokeEvent,
  BrowserWindow as RealWindow,
  WebContents,
  WebFrameMain,
} from 'electron'
import { browserContext, playScheme, preloadScript, toAppUrl, toPlayedUrl } from './scheme-pages.ts'
import { report } from './talk.ts'

type PlayedContents = Pick<WebContents, 'id' | 'isDestroyed' | 'send' | 'reload' | 'setWindowOpenHandler'>
type OpenHandler = Parameters<WebContents['setWindowOpenHandler']>[0]
type InvokeListener = Parameters<IpcMain['handle']>[1]

class PageContents extends EventEmitter implements PlayedContents {
  readonly id: number
  readonly channels = new Map<string, InvokeListener>()
  readonly ipc: Pick<IpcMain, 'handle'> = {
    handle: (channel, listener) => void this.channels.set(channel, listener),
  }
  page: Page | undefined
  openHandler: OpenHandler | undefined

  constructor(id: number) {
    super()
    this.id = id
  }

  readonly reload = () => void this.page?.reload()
  readonly isDestroyed = () => this.page?.isClosed() ?? false

  send(channel: string, ...[value]: unknown[]): void {
    const hear = ([name, said]: readonly [string, unknown]) =>
      (window as unknown as { __double_hear?: (c: string, v: unknown) => void }).__double_hear?.(name, said)
    // A page that is being replaced hears nothing, as with Electron.
    this.page?.evaluate(hear, [channel, value] as const).catch(() => {})
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler
  }

  mayNavigate(url: string): boolean {
    const event = new Event('will-navigate', { cancelable: true })
    this.emit(event.type, Object.assign(event, { url }), url)
    return !event.defaultPrevented
  }

  async invoke(frame: Frame, channel: string, arg: unknown): Promise<unknown> {
    const listener = this.channels.get(channel)
    if (listener === undefined) throw new Error(`No handler registered for '${channel}'`)
    return listener({ sender: this, senderFrame: playedFrame(frame) } as unknown as IpcMainInvokeEvent, arg)
  }
}

function playedFrame(frame: Frame): Pick<WebFrameMain, 'url' | 'isDestroyed'> & { parent: unknown } {
  const parent = frame.parentFrame()
  return {
    url: toAppUrl(frame.url()),
    isDestroyed: () => frame.isDetached(),
    parent: parent === null ? null : playedFrame(parent),
  }
}

type PlayedWindow = Pick<
  RealWindow,
  'loadURL' | 'show' | 'focus' | 'restore' | 'isMinimized' | 'isDestroyed' | 'getNormalBounds' | 'close'
>

/** Electron's window as a page of a real Chromium. */
export class PageWindow extends EventEmitter implements PlayedWindow {
  static readonly all: PageWindow[] = []
  static contentsCreated: (contents: PageContents) => void = () => {}
  readonly webContents = new PageContents(PageWindow.all.length + 1)
  readonly #options: BrowserWindowConstructorOptions
  #isMinimized = false
  #isDestroyed = false

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super()
    this.#options = options
    PageWindow.all.push(this)
    PageWindow.contentsCreated(this.webContents)
    report({ kind: 'window-opened', options: { ...options } })
  }

  async loadURL(url: string): Promise<void> {
    const contents = this.webContents
    const page = await (await browserContext()).newPage()
    contents.page = page
    let isOurs = true // what the app itself loads is not asked about
    await playScheme(page, (target) => isOurs || contents.mayNavigate(target))
    await page.exposeBinding('__double_invoke', ({ frame }, channel: string, arg: unknown) =>
      contents.invoke(frame, channel, arg),
    )
    const preload = this.#options.webPreferences?.preload
    if (preload !== undefined) await page.addInitScript({ content: preloadScript(preload) })
    page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) report({ kind: 'violation', text: message.text() })
    })
    page.on('popup', (popup) => {
      const decision = contents.openHandler?.({ url: popup.url() } as Electron.HandlerDetails)
      if (decision?.action === 'deny') report({ kind: 'popup-denied' })
      void popup.close()
    })
    await page.goto(toPlayedUrl(url))
    isOurs = false
    this.emit('ready-to-show')
  }

  readonly show = () => report({ kind: 'window-shown' })
  readonly focus = () => report({ kind: 'window-focused' })
  readonly isMinimized = () => this.#isMinimized
  readonly isDestroyed = () => this.#isDestroyed

  minimize(): void {
    this.#isMinimized = true
  }

  restore(): void {
    this.#isMinimized = false
  }

  getNormalBounds(): Electron.Rectangle {
    const { x = 11, y = 12, width = 800, height = 600 } = this.#options
    return { x, y, width, height }
  }

  close(): void {
    this.emit('close')
    this.#isDestroyed = true
    void this.webContents.page?.close()
    this.emit('closed')
  }
}
