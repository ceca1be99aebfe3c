import { homedir, userInfo } from 'node:os'
import { posix, win32 } from 'node:path'

export interface Account {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The home folders that the system reports, most likely first. */
  readonly homes: readonly string[]
}

/**
 * An absolute path from the environment. A relative path counts as not set, as the XDG base directory
 * specification requires.
 */
export const absolute = (
  path: string | undefined,
  platform: NodeJS.Platform = process.platform,
): string | undefined =>
  path !== undefined && (platform === 'win32' ? win32 : posix).isAbsolute(path) ? path : undefined

/**
 * The account of this process. HOME comes first, although it can be set to anything. If HOME is empty or
 * relative, the system's entry for the account applies.
 */
export function thisAccount(
  environment: Account['environment'] = process.env,
  asks: readonly (() => string)[] = [homedir, () => userInfo().homedir],
): Account {
  const homes = asks.flatMap((ask) => {
    try {
      return [ask()]
    } catch {
      return [] // an account without an entry
    }
  })
  return { platform: process.platform, environment, homes }
}

export const homeFolder = ({ homes, platform }: Account): string | undefined =>
  homes.find((home) => absolute(home, platform) !== undefined)

/**
 * The platform's folder for an app's data. `undefined` if unknown. The working directory is no substitute,
 * because it must not contain tokens.
 */
export function dataFolderOf(account: Account, name: string): string | undefined {
  const { platform, environment } = account
  const home = homeFolder(account)
  switch (platform) {
    case 'darwin':
      return home && posix.join(home, 'Library', 'Application Support', name)
    case 'win32': {
      const local =
        absolute(environment['LOCALAPPDATA'], platform) ?? (home && win32.join(home, 'AppData', 'Local'))
      return local && win32.join(local, name, 'Data')
    }
    default: {
      const data =
        absolute(environment['XDG_DATA_HOME'], platform) ?? (home && posix.join(home, '.local', 'share'))
      return data && posix.join(data, name)
    }
  }
}
