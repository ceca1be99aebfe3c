/**
 * The parts of Electron that this host uses, with Electron's own types.
 *
 * Only main.ts and preload.ts import values from `electron`. Every other module gets them as arguments, so
 * that it runs without Electron too.
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
 * The app's name. It appears in menus, dialogs and the window class, and is the name of the keyring entry
 * that seals tokens. Must equal `productName` in package.json and electron-builder.yml.
 */
export const APP_NAME = 'Headroom'
