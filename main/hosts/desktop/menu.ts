import type { MenuItemConstructorOptions } from 'electron'
import type { DesktopActions, DesktopChoices } from './desktop-actions.ts'
import { choiceItems } from './tray-menu.ts'

export interface MenuDeps {
  readonly platform: NodeJS.Platform
  readonly isPackaged: boolean
  readonly choices: DesktopChoices
  readonly actions: DesktopActions
}

/**
 * The application menu. On macOS, the shortcuts for copy and paste work only if the menu has the standard
 * roles.
 */
export function menuTemplate({
  platform,
  isPackaged,
  choices,
  actions,
}: MenuDeps): MenuItemConstructorOptions[] {
  const view: MenuItemConstructorOptions[] = [
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
  ]
  if (!isPackaged) view.push({ type: 'separator' }, { role: 'toggleDevTools' })
  const app: MenuItemConstructorOptions[] = [
    // macOS has these choices in its app menu. Other platforms have no app menu.
    ...(platform === 'darwin' ? [] : choiceItems(choices, actions)),
    { type: 'separator' },
    { role: 'close' },
    ...(platform === 'darwin'
      ? []
      : [{ label: 'Quit Headroom', accelerator: 'CommandOrControl+Q', click: actions.quit }]),
  ]
  const help: MenuItemConstructorOptions[] = [
    { label: 'Save Report…', click: actions.saveReport },
    { label: 'Show Log', click: actions.showLog },
  ]
  return [
    ...(platform === 'darwin' ? [macMenu(choices, actions)] : []),
    { label: 'File', submenu: app },
    { role: 'editMenu' },
    { label: 'View', submenu: view },
    { role: 'windowMenu' },
    { role: 'help', submenu: help },
  ]
}

/** The macOS app menu. Our choices replace "Settings…". */
function macMenu(choices: DesktopChoices, actions: DesktopActions): MenuItemConstructorOptions {
  return {
    role: 'appMenu',
    submenu: [
      { role: 'about' },
      { type: 'separator' },
      ...choiceItems(choices, actions),
      { type: 'separator' },
      { role: 'services' },
      { type: 'separator' },
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      { type: 'separator' },
      { role: 'quit' },
    ],
  }
}
