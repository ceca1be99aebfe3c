import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { type SocketPath, socketPath } from './socket-path.ts'
import { thisPlace } from './this-place.ts'

/** The socket of a data folder, by whatever path or link that was named. */
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
    return resolve(folder) // it is not there, and so nobody listens
  }
}
