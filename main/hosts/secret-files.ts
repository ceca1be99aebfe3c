import { join } from 'node:path'
import { GATEWAY_KEYS } from '../../app/contract/programs.ts'
import { readBounded } from '../storage/private-files.ts'
import { systemErrorCode, systemErrorText } from '../storage/system-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The environment with secrets from files, or the reason why a secret could not be read. */
export interface SecretsReading {
  /** The environment. Each secret is under its own variable name, even if it comes from a file. */
  readonly environment: Environment
  /** One line about the first secret that could not be read. */
  readonly problem?: string
}

/** Maximum size of a secret, larger than any token or passphrase. */
const MAX_SECRET_BYTES = 64 * 1024

/**
 * Adds secrets from files to the environment. If `NAME` is not set, the secret is read from the path in
 * `NAME_FILE`, or else from the file `NAME` in systemd's `CREDENTIALS_DIRECTORY` (systemd.exec(5)). A final
 * line end is removed.
 */
export function withSecretFiles(
  environment: Environment,
  names: readonly SecretName[] = SECRETS,
  read: (path: string) => string | undefined = readSecret,
): SecretsReading {
  const found: Record<string, string> = {}
  const { CREDENTIALS_DIRECTORY: credentials } = environment
  for (const name of names) {
    const pathVariable = `${name}_FILE`
    const path = environment[pathVariable]
    if (path && environment[name])
      return { environment, problem: `${name} and ${pathVariable} are both set: unset one of them` }
    if (environment[name]) continue
    try {
      const secret = path ? read(path) : credentials ? readIfThere(join(credentials, name), read) : undefined
      if (secret === '') return { environment, problem: `${path ?? join(credentials ?? '', name)} is empty` }
      if (secret !== undefined) found[name] = secret
      else if (path) return { environment, problem: `${pathVariable} names ${path}, which is over 64 kB` }
    } catch (error) {
      const why = systemErrorText(error)
      return path
        ? { environment, problem: `can't read ${path}, named in ${pathVariable}: ${why}` }
        : { environment, problem: `can't read the credential ${name}: ${why}` }
    }
  }
  const files = new Set(names.map((name) => `${name}_FILE`))
  const others = Object.entries(environment).filter(([name]) => !files.has(name))
  return { environment: { ...Object.fromEntries(others), ...found } }
}

function readIfThere(path: string, read: (path: string) => string | undefined): string | undefined {
  try {
    return read(path)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Reads a secret from a file or a pipe, such as a shell's `<(…)`. `undefined` if it is longer than
 * `MAX_SECRET_BYTES`.
 */
export function readSecret(path: string): string | undefined {
  return readBounded(path, MAX_SECRET_BYTES)?.replace(/\r?\n$/, '')
}

/**
 * The environment variables with secrets. Flags would be unsafe, because every user can read the arguments of
 * a process.
 */
export const SECRETS = [
  'HEADROOM_PASSPHRASE',
  'HEADROOM_CLIENT_SECRET',
  'HEADROOM_REFRESH_TOKEN',
  'HEADROOM_METRICS_TOKEN',
  'HEADROOM_SIMULATOR_CONTROL',
  GATEWAY_KEYS,
  'HEADROOM_DESK_INVITATION',
  'HEADROOM_DESK_CREDENTIALS',
] as const
type SecretName = (typeof SECRETS)[number]

/**
 * Returns a copy of the environment and deletes its secrets from the process's own environment. Crash reports
 * include the environment, and child processes such as the browser inherit it.
 */
export function takenEnvironment(own: NodeJS.ProcessEnv): Readonly<NodeJS.ProcessEnv> {
  const taken = { ...own }
  for (const name of SECRETS) delete own[name]
  return taken
}
