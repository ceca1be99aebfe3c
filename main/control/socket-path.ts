import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** What of the system decides where a socket can be. */
export interface SocketPlace {
  readonly platform: NodeJS.Platform
  /** A folder of the person's own for what lives as long as a session; XDG_RUNTIME_DIR on Linux. */
  readonly runtimeFolder: string | undefined
  readonly temporaryFolder: string
  readonly userId: number | undefined
}

export type SocketPath =
  | { readonly kind: 'pipe'; readonly path: string }
  /** In the data folder itself, which is the owner's alone. */
  | { readonly kind: 'socket'; readonly path: string }
  /** In a folder made for it, which has to be checked: others may have been there first. */
  | { readonly kind: 'elsewhere'; readonly path: string; readonly folder: string }

/** `sun_path` holds 104 bytes on macOS and the BSDs, its end included; 108 on Linux. The smaller one serves all. */
const MAX_BYTES = 103

/**
 * Where the running app of a data folder listens, and where the commands look for it: both sides compute it.
 *
 * A socket's path has room for a hundred bytes only, and a data folder can be anywhere.
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

/** On macOS TMPDIR itself is half of the room. */
function shortTemporary({ temporaryFolder }: SocketPlace): string {
  return Buffer.byteLength(temporaryFolder) <= 50 ? temporaryFolder : '/tmp'
}
