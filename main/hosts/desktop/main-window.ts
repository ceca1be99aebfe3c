import type { BrowserWindow } from 'electron'
import { APP_URL } from './app-scheme.ts'
import type { DesktopStateStore } from './desktop-state.ts'
import type { ElectronPieces } from './electron-pieces.ts'
import { openPage, type PageDeps } from './open-page.ts'
import { MIN_SIZE, openingBounds } from './window-bounds.ts'

export interface MainWindowDeps extends PageDeps {
  readonly electron: PageDeps['electron'] & Pick<ElectronPieces, 'screen'>
  readonly state: DesktopStateStore
  /** Called when the window was closed, by a person or by the app. */
  readonly closed: () => void
}

/** The main window, created when needed and destroyed when closed. */
export class MainWindow {
  readonly #deps: MainWindowDeps
  #window: BrowserWindow | undefined

  constructor(deps: MainWindowDeps) {
    this.#deps = deps
  }

  get isOpen(): boolean {
    return this.#window !== undefined
  }

  /** Brings the window to the front, and opens it if needed. */
  show(): void {
    if (this.#window === undefined) {
      this.#window = this.#open()
      return
    }
    if (this.#window.isMinimized()) this.#window.restore()
    this.#window.show()
    this.#window.focus()
  }

  /** The action of the global shortcut: closes the window if it has the focus, otherwise shows it. */
  toggle(): void {
    if (this.#window?.isFocused()) this.#window.close()
    else this.show()
  }

  /** Closes the window without asking its page. */
  close(): void {
    this.#window?.destroy()
  }

  #open(): BrowserWindow {
    const { electron, state, closed } = this.#deps
    const { windowBounds, windowMaximized } = state.read()
    const { screen } = electron
    const displays = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()]
    const workAreas = displays.map(({ workArea }) => workArea)
    const bounds = openingBounds(windowBounds, workAreas)
    const least = { minWidth: MIN_SIZE.width, minHeight: MIN_SIZE.height }
    const window = openPage(APP_URL, { ...bounds, ...least }, this.#deps)
    if (windowMaximized) window.once('show', () => window.maximize())
    window.on('close', () =>
      state.change({ windowBounds: window.getNormalBounds(), windowMaximized: window.isMaximized() }),
    )
    window.on('closed', () => {
      this.#window = undefined
      closed()
    })
    return window
  }
}
