import { homedir, userInfo } from 'node:os'
import { posix, win32 } from 'node:path'

/** What says where an account keeps its files. */
export interface Account {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  /** As the system has it, the likeliest first. */
  readonly homes: readonly string[]
}

/** A relative path in the environment counts as none: the XDG base directory rules say so of theirs. */
export const absolute = (
  path: string | undefined,
  platform: NodeJS.Platform = process.platform,
): string | undefined =>
  path !== undefined && (platform === 'win32' ? win32 : posix).isAbsolute(path) ? path : undefined

/** HOME comes first and may be anything; the account's own entry is what is left when it is empty or relative. */
export function thisAccount(environment: Account['environment'] = process.env): Account {
  const homes = [homedir, () => userInfo().homedir].flatMap((ask) => {
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
 * The platform's folder for what an app keeps. `undefined` where nobody says where that is: below the folder that a
 * command happens to be run in is no place for tokens.
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
