import type { UpdateState } from '../../../app/contract/updates.ts'

/** What a person can do outside of a page: from the tray and from the menus. */
export interface DesktopActions {
  showWindow(): void
  toggleStrip(): void
  /** Every service that does not answer, every refresh that failed: again now. */
  tryNow(): void
  saveReport(): void
  showLog(): void
  setCloseToTray(wanted: boolean): void
  setGlobalShortcut(wanted: boolean): void
  setKeepAwake(wanted: boolean): void
  /** Absent where this is no installed app. */
  readonly setOpenAtLogin?: (wanted: boolean) => void
  setCheckForUpdates(wanted: boolean): void
  /** Fetches, installs or shows the newer version that a person was told of. */
  proceedWithUpdate(): void
  quit(): void
}

/** What is ticked. */
export interface DesktopChoices {
  readonly stripShown: boolean
  readonly closeToTray: boolean
  /** Off where the desktop shows no tray icons: the app could not be reached without its window. */
  readonly hasTray: boolean
  readonly globalShortcut: boolean
  readonly keepAwake: boolean
  readonly openAtLogin: boolean
  readonly updates: UpdateState
}

export const SHORTCUT = 'Control+Alt+H'
