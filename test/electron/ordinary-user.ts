import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRoot, OTHER_USER } from '../main/storage/other-user.ts'

/** The user that starts Electron in tests: for root `nobody`, because Chromium's sandbox rejects root. */
export interface OrdinaryUser {
  /** For `spawn`. */
  readonly ids: { readonly uid?: number; readonly gid?: number }
  /** A private home of its own, empty at first. */
  readonly home: string
  /**
   * Environment variables in which every home folder is this one. The desktop session of the person who runs
   * the tests is left out, so that their keyring can't be reached.
   */
  readonly environment: Readonly<Record<string, string>>
  /** A new folder in its home. */
  folder(name: string): string
  remove(): void
}

export function ordinaryUser(): OrdinaryUser {
  const own = (path: string) => {
    if (isRoot) chownSync(path, OTHER_USER, OTHER_USER)
    chmodSync(path, 0o700)
    return path
  }
  const home = own(mkdtempSync(join(tmpdir(), 'headroom-user-')))
  const folder = (name: string) => {
    const path = join(home, name)
    mkdirSync(path)
    return own(path)
  }
  return {
    ids: isRoot ? { uid: OTHER_USER, gid: OTHER_USER } : {},
    home,
    environment: {
      ...withoutSession(process.env),
      HOME: home,
      USERPROFILE: home,
      XDG_CONFIG_HOME: folder('config'),
      XDG_CACHE_HOME: folder('cache'),
      XDG_DATA_HOME: folder('data'),
      XDG_RUNTIME_DIR: folder('run'),
      TMPDIR: folder('tmp'),
    },
    folder,
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** The message bus would lead to the keyring and the notifications of the logged-in user. */
function withoutSession(environment: NodeJS.ProcessEnv): Record<string, string> {
  const left = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !/^(DBUS_|WAYLAND_|GNOME_KEYRING_|ELECTRON_RUN_AS_NODE$|HEADROOM_)/.test(entry[0]),
  )
  return { ...Object.fromEntries(left), DBUS_SESSION_BUS_ADDRESS: 'disabled:' }
}
