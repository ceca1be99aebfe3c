import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Keystore } from '../../ports/keystore.ts'
import type { SafeStorageDeps } from './safe-storage-keystore.ts'

/**
 * The former names of the packaged app and of the app in a checkout. A keyring entry belongs to one app name,
 * and a process can open only the entries of its own name.
 */
export const FORMER_NAMES = ['headroom', 'Electron'] as const
/** Flag of a process that only opens a key. The flag's value is the former app name. */
export const OPEN_AS_FLAG = 'open-as'

const KEY_BYTES = 32
const OPEN_LIMIT_MS = 10_000

/** Unwraps a key with the keyring entry of `name`. `undefined` if that fails. */
export type OpenAs = (name: string, wrapped: Uint8Array) => Promise<Uint8Array | undefined>

/**
 * Lets a keystore open keys that were wrapped under one of the app's former names. Such a key is then wrapped
 * again under the current name.
 *
 * Keys that another kind of keystore wrapped are skipped, because an attempt may start a process.
 */
export function withFormerNames(keystore: Keystore, openAs: OpenAs): Keystore {
  return {
    ...keystore,
    unwrap: async (wrapped, backend) => {
      const present = await keystore.unwrap(wrapped, backend)
      const isElsewhere = backend !== undefined && keystore.mayHaveWrapped?.(backend) === false
      if (present.kind !== 'refused' || isElsewhere) return present
      for (const name of FORMER_NAMES) {
        const key = await openAs(name, wrapped)
        if (key?.length === KEY_BYTES) return { kind: 'unwrapped', key, renew: true }
      }
      return present
    },
  }
}

/**
 * Unwraps a key in a child process with the former name. Keys are passed through stdin and stdout, never in
 * an argument list or a file.
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
      child.stdin.on('error', () => {}) // the process has exited, which `close` reports
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

/** The child's side of `openInProcess`: unwraps one key under `name`. Exits with 1 on failure. */
export async function openOnly(name: string, { app, safeStorage, stdin, say }: OpenAsDeps): Promise<void> {
  app.setName(name)
  // The child uses a temporary profile, because the running app locks its own.
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
