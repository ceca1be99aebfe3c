import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Whether the desktop shows tray icons. Without them, an app without a window can't be reached. */
export interface TrayPresence {
  /** The result of the last check. `false` before the first check. */
  readonly isThere: boolean
  /** Asks the desktop whether there is a tray. Takes at most 3 s. */
  ask(): Promise<boolean>
}

export interface TrayPresenceDeps {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Runs a program and returns its stdout. `undefined` if it is missing or fails. */
  readonly run?: (program: string, args: readonly string[]) => Promise<string | undefined>
  readonly exists?: (path: string) => boolean
}

/** Bus name owned by desktops with a tray, such as Plasma, Xfce, Cinnamon, or GNOME with an extension. */
const WATCHER = 'org.kde.StatusNotifierWatcher'
const BUS = 'org.freedesktop.DBus'
const BUS_PATH = '/org/freedesktop/DBus'

/**
 * Commands that send the same query to the session bus. A desktop might have the program of only one of them.
 */
const QUESTIONS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['busctl', '--user', 'call', BUS, BUS_PATH, BUS, 'NameHasOwner', 's', WATCHER],
  ['gdbus', 'call', '--session', '-d', BUS, '-o', BUS_PATH, '-m', `${BUS}.NameHasOwner`, WATCHER],
  [
    'dbus-send',
    '--session',
    '--print-reply',
    `--dest=${BUS}`,
    BUS_PATH,
    `${BUS}.NameHasOwner`,
    `string:${WATCHER}`,
  ],
]
const ANSWER_LIMIT_MS = 1_000

/**
 * Whether there is a tray. Windows and macOS always have one.
 *
 * On Linux, Electron can't determine this, and the icon is invisible without a tray. A legacy tray without a
 * StatusNotifierWatcher is not detected.
 */
export function trayPresence({
  platform,
  environment,
  run = answerOf,
  exists = existsSync,
}: TrayPresenceDeps): TrayPresence {
  let isThere = false
  const look = async (): Promise<boolean> => {
    if (platform !== 'linux') return true
    const { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: folder } = environment
    // If no session bus is running, two of the programs would start a new bus.
    if (!address && !(folder && exists(join(folder, 'bus')))) return false
    for (const [program, ...args] of QUESTIONS) {
      const answer = await run(program, args)
      if (answer !== undefined) return /\btrue\b/.test(answer)
    }
    return false
  }
  return {
    get isThere() {
      return isThere
    },
    ask: async () => {
      isThere = await look()
      return isThere
    },
  }
}

function answerOf(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: ANSWER_LIMIT_MS }, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    )
  })
}
