import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ElectronPieces } from './electron-pieces.ts'

/** Told to a start that nobody clicked on: no window, the tray only. */
export const IN_TRAY_FLAG = '--in-tray'

export interface LoginItem {
  isSet(): boolean
  set(wanted: boolean): void
}

export interface LoginItemDeps {
  readonly app: Pick<ElectronPieces['app'], 'getLoginItemSettings' | 'setLoginItemSettings' | 'isPackaged'>
  readonly platform: NodeJS.Platform
  /** `$XDG_CONFIG_HOME`, or `.config` in the home folder. */
  readonly configFolder: string
  /** An AppImage's own path; elsewhere the executable's. */
  readonly executable: string
}

/**
 * Start at login. `undefined` where this is not an installed app: the entry would start Electron without us.
 *
 * Electron does it on macOS and Windows; desktops of Linux read an entry in a folder.
 */
export function loginItem(deps: LoginItemDeps): LoginItem | undefined {
  if (!deps.app.isPackaged) return undefined
  return deps.platform === 'linux' ? autostartEntry(deps) : systemItem(deps)
}

/**
 * Whether the system started this process at login and no person did. macOS passes no arguments to what it starts, and
 * says it so; elsewhere `IN_TRAY_FLAG` is among the arguments.
 */
export const startedAtLogin = ({ app, platform }: Pick<LoginItemDeps, 'app' | 'platform'>): boolean =>
  platform === 'darwin' && app.isPackaged && app.getLoginItemSettings().wasOpenedAtLogin

function systemItem({ app }: LoginItemDeps): LoginItem {
  // Windows compares the arguments: without them it would say that nothing is set.
  const args = [IN_TRAY_FLAG]
  return {
    isSet: () => app.getLoginItemSettings({ args }).openAtLogin,
    set: (wanted) => app.setLoginItemSettings({ openAtLogin: wanted, args }),
  }
}

function autostartEntry({ configFolder, executable }: LoginItemDeps): LoginItem {
  const file = join(configFolder, 'autostart', 'headroom.desktop')
  return {
    isSet: () => existsSync(file),
    set: (wanted) => {
      if (!wanted) return rmSync(file, { force: true })
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, entryText(executable))
    },
  }
}

export function entryText(executable: string): string {
  // Quoted by the rules of desktop entries; a percent sign would be a field code.
  const quoted = `"${executable.replace(/[\\"`$]/g, '\\$&').replaceAll('%', '%%')}"`
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Headroom',
    `Exec=${quoted} ${IN_TRAY_FLAG}`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
}
