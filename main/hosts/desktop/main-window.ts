import type { BrowserWindow } from 'electron'
import { APP_URL } from './app-scheme.ts'
import type { DesktopStateStore } from './desktop-state.ts'
import type { ElectronPieces } from './electron-pieces.ts'
import { openPage, type PageDeps } from './open-page.ts'
import { MIN_SIZE, openingBounds } from './window-bounds.ts'

export interface MainWindowDeps extends PageDeps {
  readonly electron: PageDeps['electron'] & Pick<ElectronPieces, 'screen'>
  readonly state: DesktopStateStore
  /** It was closed, by whomever. */
  readonly closed: () => void
}

/** The window with everything in it: made when it is wanted, gone when it is closed. */
export class MainWindow {
  readonly #deps: MainWindowDeps
  #window: BrowserWindow | undefined

  constructor(deps: MainWindowDeps) {
    this.#deps = deps
  }

  get isOpen(): boolean {
    return this.#window !== undefined
  }

  /** To the front, made anew where it is gone. */
  show(): void {
    if (this.#window === undefined) {
      this.#window = this.#open()
      return
    }
    if (this.#window.isMinimized()) this.#window.restore()
    this.#window.show()
    this.#window.focus()
  }

  /** What the global shortcut does: out of the way if it is what the person looks at. */
  toggle(): void {
    if (this.#window?.isFocused()) this.#window.close()
    else this.show()
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
