/**
 * The parts of Electron that this host uses, with Electron's own types.
 *
 * Only main.ts and preload.ts import values from `electron`; every other module receives them, so that it
 * also runs without Electron.
 */
export type ElectronPieces = Pick<
  typeof import('electron/main'),
  | 'app'
  | 'BrowserWindow'
  | 'dialog'
  | 'globalShortcut'
  | 'Menu'
  | 'Notification'
  | 'powerMonitor'
  | 'powerSaveBlocker'
  | 'protocol'
  | 'screen'
  | 'session'
  | 'Tray'
> &
  Pick<typeof import('electron/common'), 'nativeImage' | 'shell'>

/**
 * The name of the app in menus, dialogs and the window class, and of its entry in the system's keyring, which
 * holds the key that seals tokens. The same as `productName` in package.json and electron-builder.yml.
 */
export const APP_NAME = 'Headroom'
