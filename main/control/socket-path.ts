import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** The system properties that determine the path of a socket. */
export interface SocketPlace {
  readonly platform: NodeJS.Platform
  /** The user's folder for runtime files; XDG_RUNTIME_DIR on Linux. */
  readonly runtimeFolder: string | undefined
  readonly temporaryFolder: string
  readonly userId: number | undefined
}

export type SocketPath =
  | { readonly kind: 'pipe'; readonly path: string }
  /** In the data folder, which is private to its owner. */
  | { readonly kind: 'socket'; readonly path: string }
  /**
   * In a folder created for the socket. The folder must be checked, because another user could have created
   * it first.
   */
  | { readonly kind: 'elsewhere'; readonly path: string; readonly folder: string }

/**
 * The longest socket path in bytes. `sun_path` holds 104 bytes on macOS and the BSDs, including the
 * terminator, and 108 on Linux; the smaller limit applies everywhere.
 */
const MAX_BYTES = 103

/**
 * The socket path of a data folder, computed in the same way by the app and by the commands.
 *
 * A socket path is limited to about a hundred bytes, while a data folder can be anywhere.
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

/** The temporary folder, or `/tmp` if its path is long. TMPDIR on macOS alone takes half of the limit. */
function shortTemporary({ temporaryFolder }: SocketPlace): string {
  return Buffer.byteLength(temporaryFolder) <= 50 ? temporaryFolder : '/tmp'
}
