import { tmpdir } from 'node:os'
import type { SocketPlace } from './socket-path.ts'

/** This process's own. */
export function thisPlace(environment: Readonly<Record<string, string | undefined>>): SocketPlace {
  const { XDG_RUNTIME_DIR: runtimeFolder = '' } = environment
  return {
    platform: process.platform,
    runtimeFolder: runtimeFolder === '' ? undefined : runtimeFolder,
    temporaryFolder: tmpdir(),
    userId: process.getuid?.(),
  }
}
