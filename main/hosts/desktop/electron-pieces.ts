/**
 * What this host uses of Electron, by Electron's own types.
 *
 * Only main.ts and preload.ts import values from `electron`; everything else is handed these, so that it also runs
 * where there is no Electron.
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
