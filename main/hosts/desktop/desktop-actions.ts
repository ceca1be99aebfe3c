import type { UpdateState } from '../../../app/contract/updates.ts'

/** The actions that a person can take from the tray and the menus. */
export interface DesktopActions {
  showWindow(): void
  toggleStrip(): void
  /** Retries every unreachable service and every failed refresh immediately. */
  tryNow(): void
  /** Stops new orders for every key. */
  stopOrders(): void
  saveReport(): void
  showLog(): void
  setCloseToTray(wanted: boolean): void
  setGlobalShortcut(wanted: boolean): void
  setKeepAwake(wanted: boolean): void
  /** Absent if the app is not installed. */
  readonly setOpenAtLogin?: (wanted: boolean) => void
  setCheckForUpdates(wanted: boolean): void
  /**
   * Takes the next step for the newer version that a person was notified of: downloads, installs or shows it.
   */
  proceedWithUpdate(): void
  quit(): void
}

/** The checked states of the menu items. */
export interface DesktopChoices {
  readonly stripShown: boolean
  readonly closeToTray: boolean
  /** Whether the desktop shows tray icons. If not, an app without a window would be unreachable. */
  readonly hasTray: boolean
  readonly globalShortcut: boolean
  readonly keepAwake: boolean
  readonly openAtLogin: boolean
  readonly updates: UpdateState
}

/** The global shortcut, in Electron's notation. */
export const SHORTCUT = 'Control+Alt+H'
