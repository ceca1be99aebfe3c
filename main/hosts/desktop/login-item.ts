import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ElectronPieces } from './electron-pieces.ts'

/** The argument with which the system starts the app at login. The app then shows only its tray icon. */
export const IN_TRAY_FLAG = '--in-tray'

/** The entry that starts the app at login. */
export interface LoginItem {
  isSet(): boolean
  set(wanted: boolean): void
}

export interface LoginItemDeps {
  readonly app: Pick<ElectronPieces['app'], 'getLoginItemSettings' | 'setLoginItemSettings' | 'isPackaged'>
  readonly platform: NodeJS.Platform
  /** `$XDG_CONFIG_HOME`, or `.config` in the home folder. */
  readonly configFolder: string
  /** The path of the AppImage, or of the executable. */
  readonly executable: string
}

/**
 * The login item of the app. `undefined` if the app is not installed: its entry would start plain Electron.
 *
 * Electron implements login items on macOS and Windows. Linux desktops read an entry in a folder.
 */
export function loginItem(deps: LoginItemDeps): LoginItem | undefined {
  if (!deps.app.isPackaged) return undefined
  return deps.platform === 'linux' ? autostartEntry(deps) : systemItem(deps)
}

/**
 * Whether the system started this process at login. macOS has an API for this and passes no arguments. Other
 * systems pass `IN_TRAY_FLAG`.
 */
export const startedAtLogin = ({ app, platform }: Pick<LoginItemDeps, 'app' | 'platform'>): boolean =>
  platform === 'darwin' && app.isPackaged && app.getLoginItemSettings().wasOpenedAtLogin

function systemItem({ app }: LoginItemDeps): LoginItem {
  // Windows finds the entry only if it is requested with the same arguments.
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

/** The desktop entry that starts `executable` at login. */
export function entryText(executable: string): string {
  // The path is quoted by the rules of desktop entries, in which a percent sign begins a field code.
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
