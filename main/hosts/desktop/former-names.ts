import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Keystore } from '../../ports/keystore.ts'
import type { SafeStorageDeps } from './safe-storage-keystore.ts'

/**
 * What earlier versions were called where they sealed: packaged, and from a checkout. The keyring's entry has the app's
 * name, and a process can open the entry of one name only.
 */
export const FORMER_NAMES = ['headroom', 'Electron'] as const
/** A start that only opens what was sealed under this former name, of the flag's value. */
export const OPEN_AS_FLAG = 'open-as'

const KEY_BYTES = 32
const OPEN_LIMIT_MS = 10_000

/** The key that a keyring's entry of `name` opens; `undefined` where it does not. */
export type OpenAs = (name: string, wrapped: Uint8Array) => Promise<Uint8Array | undefined>

/** Opens what the present name refuses by a former one, and has it wrapped again under the present one. */
export function withFormerNames(keystore: Keystore, openAs: OpenAs): Keystore {
  return {
    ...keystore,
    unwrap: async (wrapped) => {
      const present = await keystore.unwrap(wrapped)
      if (present.kind !== 'refused') return present
      for (const name of FORMER_NAMES) {
        const key = await openAs(name, wrapped)
        if (key?.length === KEY_BYTES) return { kind: 'unwrapped', key, renew: true }
      }
      return present
    },
  }
}

/**
 * Asks a process of our own that has the former name. What is wrapped goes to it by its stdin and the key comes back by
 * its stdout, so that neither is in a list of arguments or in a file.
 */
export const openInProcess =
  (executable: string, args: readonly string[]): OpenAs =>
  (name, wrapped) =>
    new Promise((resolve) => {
      const child = spawn(executable, [...args, `--${OPEN_AS_FLAG}`, name], {
        stdio: ['pipe', 'pipe', 'ignore'],
        timeout: OPEN_LIMIT_MS,
        killSignal: 'SIGKILL',
      })
      let said = ''
      child.stdout.setEncoding('latin1').on('data', (text: string) => {
        said += text
      })
      child.stdin.on('error', () => {}) // it ended already, which `close` says
      child.on('error', () => resolve(undefined))
      child.on('close', (code) => resolve(code === 0 ? Buffer.from(said, 'base64') : undefined))
      child.stdin.end(wrapped)
    })

export interface OpenAsDeps {
  readonly app: Pick<typeof import('electron/main').app, 'setName' | 'setPath' | 'whenReady' | 'exit'>
  readonly safeStorage: Pick<SafeStorageDeps['safeStorage'], 'decryptStringAsync'>
  readonly stdin: AsyncIterable<Uint8Array>
  readonly say: (text: string, done: () => void) => void
}

/** The other side of `openInProcess`: this process, under `name`. Ends with 1 where the entry does not open it. */
export async function openOnly(name: string, { app, safeStorage, stdin, say }: OpenAsDeps): Promise<void> {
  app.setName(name)
  // The app itself is using its own.
  const profileFolder = mkdtempSync(join(tmpdir(), 'headroom-open-'))
  app.setPath('userData', profileFolder)
  const exit = (code: number) => {
    rmSync(profileFolder, { recursive: true, force: true })
    app.exit(code)
  }
  try {
    await app.whenReady()
    const parts: Uint8Array[] = []
    for await (const part of stdin) parts.push(part)
    const { result } = await safeStorage.decryptStringAsync(Buffer.concat(parts))
    say(result, () => exit(0))
  } catch {
    exit(1)
  }
}
