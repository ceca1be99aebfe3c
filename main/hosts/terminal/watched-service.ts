import type { ServiceFlags } from './flags.ts'
import { EXIT_PERSON_NEEDED, EXIT_USAGE } from './terminal.ts'

/** The service that a command uses, and the key for it. */
export interface ServiceKey {
  readonly authUrl: string
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret?: string
  readonly refreshToken: string
}

/** The built-in simulator, or a key on a service. */
export type WatchedService =
  | { readonly kind: 'built-in' }
  | { readonly kind: 'key'; readonly key: ServiceKey }
  /** The input is incomplete or invalid. `line` is the reason. */
  | { readonly kind: 'unusable'; readonly line: string; readonly exitCode: number }

export const TOKEN_MISSING = 'signed out: put a refresh token in HEADROOM_REFRESH_TOKEN'
export const TOKEN_REVOKED =
  'sign in again: the tokens of this key were revoked. Put a new refresh token in HEADROOM_REFRESH_TOKEN'

const PASSPHRASE_MISSING =
  'set HEADROOM_PASSPHRASE to open the key in --data, or put a refresh token in HEADROOM_REFRESH_TOKEN'

/**
 * Reads the service and the key from three flags, which are required together. Secrets come from the
 * environment, because process lists show flags.
 */
export function watchedService(
  { authUrl, baseUrl, clientId }: ServiceFlags,
  environment: Readonly<Record<string, string | undefined>>,
  /** Where a key may be stored. A sealed key needs no token in the environment. */
  stored: 'nowhere' | 'without-passphrase' | 'sealed' = 'nowhere',
): WatchedService {
  const missing = Object.entries({ '--auth-url': authUrl, '--base-url': baseUrl, '--client-id': clientId })
    .filter(([, value]) => value === undefined)
    .map(([flag]) => flag)
  if (missing.length === 3) return { kind: 'built-in' }
  if (authUrl === undefined || baseUrl === undefined || clientId === undefined) {
    const line = `give --auth-url, --base-url and --client-id together: ${missing.join(' and ')} is missing`
    return {
      kind: 'unusable',
      line: missing.length === 1 ? line : line.replace(' is ', ' are '),
      exitCode: EXIT_USAGE,
    }
  }
  // Values from files can end with a line end or a space, which the service would reject.
  const refreshToken = environment['HEADROOM_REFRESH_TOKEN']?.trim() ?? ''
  const clientSecret = environment['HEADROOM_CLIENT_SECRET']?.trim() ?? ''
  if (refreshToken === '' && stored !== 'sealed') {
    const line = stored === 'nowhere' ? TOKEN_MISSING : PASSPHRASE_MISSING
    return { kind: 'unusable', line, exitCode: EXIT_PERSON_NEEDED }
  }
  const key = { authUrl, baseUrl, clientId, refreshToken }
  return { kind: 'key', key: clientSecret === '' ? key : { ...key, clientSecret } }
}
