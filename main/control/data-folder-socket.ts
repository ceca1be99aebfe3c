import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { absolute } from '../storage/home-folder.ts'
import { type SocketPath, type SocketPlace, socketPath } from './socket-path.ts'

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
