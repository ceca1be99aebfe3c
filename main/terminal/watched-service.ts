import type { ServiceFlags } from './flags.ts'

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
  | { readonly kind: 'usage' | 'misconfigured'; readonly line: string }

export const TOKEN_MISSING = 'sign-in needed: put a refresh token in HEADROOM_REFRESH_TOKEN'

/** The three flags go together; the secrets come from the environment only, so that no process list shows one. */
export function watchedService(
  { authUrl, baseUrl, clientId }: ServiceFlags,
  environment: Readonly<Record<string, string | undefined>>,
  /** A key that is stored needs no token from outside. */
  mayBeStored = false,
): WatchedService {
  const missing = Object.entries({ '--auth-url': authUrl, '--base-url': baseUrl, '--client-id': clientId })
    .filter(([, value]) => value === undefined)
    .map(([flag]) => flag)
  if (missing.length === 3) return { kind: 'built-in' }
  if (authUrl === undefined || baseUrl === undefined || clientId === undefined) {
    const line = `--auth-url, --base-url and --client-id go together: ${missing.join(' and ')} is missing`
    return { kind: 'usage', line: missing.length === 1 ? line : line.replace(' is ', ' are ') }
  }
  const { HEADROOM_REFRESH_TOKEN: refreshToken = '', HEADROOM_CLIENT_SECRET: clientSecret = '' } = environment
  if (refreshToken === '' && !mayBeStored) {
    return { kind: 'misconfigured', line: TOKEN_MISSING }
  }
  const key = { authUrl, baseUrl, clientId, refreshToken }
  return { kind: 'key', key: clientSecret === '' ? key : { ...key, clientSecret } }
}
