import type { ServiceFlags } from './flags.ts'
import { EXIT_PERSON_NEEDED, EXIT_USAGE } from './terminal.ts'

/** Which service, and which key on it, a command is about. */
export interface ServiceKey {
  readonly authUrl: string
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret?: string
  readonly refreshToken: string
}

export type WatchedService =
  | { readonly kind: 'built-in' }
  | { readonly kind: 'key'; readonly key: ServiceKey }
  /** Nothing can be done with what was given: the line says why, and the command ends with the code. */
  | { readonly kind: 'unusable'; readonly line: string; readonly exitCode: number }

export const TOKEN_MISSING = 'sign-in needed: put a refresh token in HEADROOM_REFRESH_TOKEN'

const PASSPHRASE_MISSING =
  'HEADROOM_PASSPHRASE opens what is sealed in --data; without it, put a refresh token in HEADROOM_REFRESH_TOKEN'

/** The three flags go together; the secrets come from the environment only, so that no process list shows one. */
export function watchedService(
  { authUrl, baseUrl, clientId }: ServiceFlags,
  environment: Readonly<Record<string, string | undefined>>,
  /** Where a key may be stored: sealed, it needs no token from outside. */
  stored: 'nowhere' | 'without-passphrase' | 'sealed' = 'nowhere',
): WatchedService {
  const missing = Object.entries({ '--auth-url': authUrl, '--base-url': baseUrl, '--client-id': clientId })
    .filter(([, value]) => value === undefined)
    .map(([flag]) => flag)
  if (missing.length === 3) return { kind: 'built-in' }
  if (authUrl === undefined || baseUrl === undefined || clientId === undefined) {
    const line = `--auth-url, --base-url and --client-id go together: ${missing.join(' and ')} is missing`
    return {
      kind: 'unusable',
      line: missing.length === 1 ? line : line.replace(' is ', ' are '),
      exitCode: EXIT_USAGE,
    }
  }
  // A line end or a space comes with what is read from a file, and the service would refuse the whole for it.
  const refreshToken = environment['HEADROOM_REFRESH_TOKEN']?.trim() ?? ''
  const clientSecret = environment['HEADROOM_CLIENT_SECRET']?.trim() ?? ''
  if (refreshToken === '' && stored !== 'sealed') {
    const line = stored === 'nowhere' ? TOKEN_MISSING : PASSPHRASE_MISSING
    return { kind: 'unusable', line, exitCode: EXIT_PERSON_NEEDED }
  }
  const key = { authUrl, baseUrl, clientId, refreshToken }
  return { kind: 'key', key: clientSecret === '' ? key : { ...key, clientSecret } }
}
