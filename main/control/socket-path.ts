import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { absolute } from '../storage/home-folder.ts'

/** The system properties that determine the path of a socket. */
export interface SocketPlace {
  readonly platform: NodeJS.Platform
  /** The user's folder for runtime files. XDG_RUNTIME_DIR on Linux. */
  readonly runtimeFolder: string | undefined
  readonly temporaryFolder: string
  readonly userId: number | undefined
}

export type SocketPath =
  | { readonly kind: 'pipe'; readonly path: string }
  /** A socket in the data folder, which is private to its owner. */
  | { readonly kind: 'socket'; readonly path: string }
  /**
   * A socket in its own folder outside the data folder. Another user could have created that folder first, so
   * it must be checked.
   */
  | { readonly kind: 'elsewhere'; readonly path: string; readonly folder: string }

/**
 * Maximum length of a socket path in bytes. `sun_path` holds 104 bytes with its terminator on macOS and the
 * BSDs, and 108 on Linux. The smaller limit applies everywhere.
 */
const MAX_BYTES = 103

/**
 * The socket path of a data folder. The app and its commands compute the same path.
 *
 * A socket path is limited to about a hundred bytes, but the path of a data folder may be longer.
 */
export function socketPath(dataFolder: string, place: SocketPlace): SocketPath {
  const name = createHash('sha256').update(dataFolder).digest('hex').slice(0, 24)
  if (place.platform === 'win32') return { kind: 'pipe', path: `\\\\.\\pipe\\headroom-${name}` }
  const near = join(dataFolder, 'control.sock')
  if (Buffer.byteLength(near) <= MAX_BYTES) return { kind: 'socket', path: near }
  const folder =
    place.runtimeFolder !== undefined && Buffer.byteLength(place.runtimeFolder) <= 60
      ? join(place.runtimeFolder, 'headroom')
      : join(shortTemporary(place), `headroom-${place.userId ?? 'user'}`)
  return { kind: 'elsewhere', folder, path: join(folder, `${name}.sock`) }
}

/**
 * The temporary folder, or `/tmp` if the temporary folder's path is too long. On macOS, the path in TMPDIR
 * takes half of the limit.
 */
function shortTemporary({ temporaryFolder }: SocketPlace): string {
  return Buffer.byteLength(temporaryFolder) <= 50 ? temporaryFolder : '/tmp'
}

/** The socket path of a data folder. All paths and links to the same folder give the same socket path. */
export function socketOf(
  dataFolder: string,
  environment: Readonly<Record<string, string | undefined>>,
): SocketPath {
  return socketPath(real(dataFolder), thisPlace(environment))
}

function real(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder) // the folder does not exist, so no app listens
  }
}

export function thisPlace(environment: Readonly<Record<string, string | undefined>>): SocketPlace {
  return {
    platform: process.platform,
    runtimeFolder: absolute(environment['XDG_RUNTIME_DIR']),
    temporaryFolder: tmpdir(),
    userId: process.getuid?.(),
  }
}
