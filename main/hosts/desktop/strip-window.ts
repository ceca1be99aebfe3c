import type { BrowserWindow } from 'electron'
import { APP_URL } from './app-scheme.ts'
import type { DesktopStateStore } from './desktop-state.ts'
import type { ElectronPieces } from './electron-pieces.ts'
import { openPage, type PageDeps } from './open-page.ts'
import { holdsTitleBar } from './window-bounds.ts'

export interface StripWindowDeps extends PageDeps {
  readonly electron: PageDeps['electron'] & Pick<ElectronPieces, 'screen'>
  readonly state: DesktopStateStore
  /** Called when the strip was opened or closed, to update checked menu items. */
  readonly changed: () => void
  /** Whether the app is quitting. A strip that closes while the app quits opens again at the next start. */
  readonly isQuitting: () => boolean
}

/** The address of the strip. Parsed by renderer/main.tsx. */
export const STRIP_URL = `${APP_URL}#strip`
const SIZE = { width: 360, height: 38 } as const

/** A window that shows one line, the headline, above all other windows. */
export class StripWindow {
  readonly #deps: StripWindowDeps
  #window: BrowserWindow | undefined

  constructor(deps: StripWindowDeps) {
    this.#deps = deps
  }

  /** Opens the strip if it was open at the last exit. */
  restore(): void {
    if (this.#deps.state.read().stripShown) this.#open()
  }

  toggle(): void {
    const { state, changed } = this.#deps
    if (this.#window !== undefined) {
      this.#window.close()
      return
    }
    state.change({ stripShown: true })
    this.#open()
    changed()
  }

  /** Closes the strip. It opens again at the next start. */
  close(): void {
    this.#window?.destroy()
  }

  #open(): void {
    const { electron, state, changed, isQuitting } = this.#deps
    const { stripBounds } = state.read()
    const workAreas = electron.screen.getAllDisplays().map(({ workArea }) => workArea)
    const isOnScreen =
      stripBounds !== undefined && workAreas.some((area) => holdsTitleBar(area, { ...stripBounds, ...SIZE }))
    const options = {
      ...SIZE,
      ...(isOnScreen && { x: stripBounds.x, y: stripBounds.y }),
      frame: false,
      resizable: false,
      maximizable: false,
      minimizable: false,
      fullscreenable: false,
      alwaysOnTop: true,
      skipTaskbar: true,
    }
    const window = openPage(STRIP_URL, options, this.#deps)
    this.#window = window
    // Shows the strip above other programs' full-screen windows, and on every desktop. The option
    // `skipTransformProcessType` keeps the app's icon in the macOS Dock.
    window.setAlwaysOnTop(true, 'floating')
    window.setVisibleOnAllWorkspaces(true, { visibleOnFullScreen: true, skipTransformProcessType: true })
    window.on('close', () => state.change({ stripBounds: window.getBounds() }))
    window.on('closed', () => {
      this.#window = undefined
      if (isQuitting()) return
      state.change({ stripShown: false })
      changed()
    })
  }
}
