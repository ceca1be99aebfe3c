import type { MenuItemConstructorOptions } from 'electron'

/** The usual roles: without a menu, copy and paste have no shortcuts on macOS. */
export function menuTemplate(platform: NodeJS.Platform, isPackaged: boolean): MenuItemConstructorOptions[] {
  const view: MenuItemConstructorOptions[] = [
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
  ]
  if (!isPackaged) view.push({ type: 'separator' }, { role: 'toggleDevTools' })
  const first: MenuItemConstructorOptions = platform === 'darwin' ? { role: 'appMenu' } : { role: 'fileMenu' }
  return [first, { role: 'editMenu' }, { label: 'View', submenu: view }, { role: 'windowMenu' }]
}
