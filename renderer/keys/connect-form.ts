/** What "Connect a key" asks, and what it says when something is missing. No secret is in any of its words. */

export const CONNECTIONS = ['live', 'sim', 'custom'] as const
export type ConnectionKind = (typeof CONNECTIONS)[number]

export const CONNECTION_WORDS: Readonly<Record<ConnectionKind, string>> = {
  live: 'LIVE',
  sim: 'SIM',
  custom: 'Other',
}

export interface Connection {
  readonly name: string
  readonly environment: ConnectionKind
  readonly authUrl?: string
  readonly baseUrl?: string
  readonly clientId: string
  readonly clientSecret?: string
  readonly refreshToken: string
}

export type CheckedConnection =
  | { readonly ok: true; readonly connection: Connection }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> }

export function checkConnection(
  environment: ConnectionKind,
  field: (name: string) => string,
): CheckedConnection {
  const errors: Record<string, string> = {}
  const clientId = field('clientId')
  const refreshToken = field('refreshToken')
  const clientSecret = field('clientSecret')
  const name = field('name') || 'Main key'
  if (clientId === '') errors['clientId'] = 'The API key is needed.'
  else if (clientId.length > 200) errors['clientId'] = 'An API key has at most 200 characters.'
  if (refreshToken === '') errors['refreshToken'] = 'A refresh token of this key is needed.'
  else if (/\s/.test(refreshToken))
    errors['refreshToken'] = 'A refresh token has no blanks or line breaks in it.'
  else if (refreshToken.length > 4096) errors['refreshToken'] = 'A refresh token has at most 4096 characters.'
  if (clientSecret.length > 4096) errors['clientSecret'] = 'A secret has at most 4096 characters.'
  if (name.length > 60) errors['name'] = 'A name has at most 60 characters.'
  const authUrl = originOf(field('authUrl'))
  const baseUrl = originOf(field('baseUrl'))
  if (environment === 'custom') {
    if (authUrl === undefined) errors['authUrl'] = HOST_ERROR
    if (baseUrl === undefined) errors['baseUrl'] = HOST_ERROR
  }
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  return {
    ok: true,
    connection: {
      name,
      environment,
      ...(environment === 'custom' && authUrl !== undefined && baseUrl !== undefined && { authUrl, baseUrl }),
      clientId,
      ...(clientSecret !== '' && { clientSecret }),
      refreshToken,
    },
  }
}

const HOST_ERROR = 'Write it as https://host; http only for this computer.'
const THIS_COMPUTER: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** `https://host[:port]`; http on loopback only, so that no token crosses a network in the clear. */
export function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isBare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && THIS_COMPUTER.has(url.hostname))
  return isBare && isSafe ? url.origin : undefined
}
