import { tmpdir } from 'node:os'
import { absolute } from '../storage/home-folder.ts'
import type { SocketPlace } from './socket-path.ts'

/** This process's own. */
export function thisPlace(environment: Readonly<Record<string, string | undefined>>): SocketPlace {
  return {
    platform: process.platform,
    runtimeFolder: absolute(environment['XDG_RUNTIME_DIR']),
    temporaryFolder: tmpdir(),
    userId: process.getuid?.(),
  }
}
