import { ORIGIN_FORM, serviceOrigin } from '../../app/service/service-origin.ts'

/** The form "Connect a key" and its messages. No message repeats a secret. */

export const CONNECTIONS = ['live', 'sim', 'custom'] as const
export type ConnectionKind = (typeof CONNECTIONS)[number]

/** Where the tokens come from: consent in the browser, or a pasted token. */
export type Way = 'browser' | 'paste'

/** Validates the form. `field` returns the value of one of its fields. */
export function checkConnection(environment: ConnectionKind, way: Way, field: (name: string) => string) {
  const errors: Record<string, string> = {}
  const clientId = field('clientId')
  const refreshToken = field('refreshToken')
  const clientSecret = field('clientSecret')
  const name = field('name')
  const audience = field('audience')
  if (clientId === '') errors['clientId'] = 'Enter the API key.'
  else if (clientId.length > 200) errors['clientId'] = 'Enter at most 200 characters.'
  const tokenError = way === 'paste' ? refreshTokenError(refreshToken) : undefined
  if (tokenError !== undefined) errors['refreshToken'] = tokenError
  if (clientSecret.length > 4096) errors['clientSecret'] = 'Enter at most 4096 characters.'
  if (name.length > 60) errors['name'] = 'Enter at most 60 characters.'
  const authUrl = addressOf(field('authUrl'))
  const baseUrl = addressOf(field('baseUrl'))
  if (environment === 'custom') {
    if (authUrl === undefined) errors['authUrl'] = HOST_ERROR
    if (baseUrl === undefined) errors['baseUrl'] = HOST_ERROR
    if (audience.length > 300) errors['audience'] = 'Enter at most 300 characters.'
  }
  if (Object.keys(errors).length > 0) return { ok: false as const, errors }
  return {
    ok: true as const,
    connection: {
      ...(name !== '' && { name }),
      environment,
      ...(environment === 'custom' && authUrl !== undefined && baseUrl !== undefined && { authUrl, baseUrl }),
      ...(environment === 'custom' && audience !== '' && { audience }),
      clientId,
      ...(clientSecret !== '' && { clientSecret }),
      // Absent for a sign-in through the browser.
      ...(way === 'paste' && { refreshToken }),
    },
  }
}

/** The error of a pasted token. Does not repeat the token. */
export function refreshTokenError(refreshToken: string): string | undefined {
  if (refreshToken === '') return 'Enter a refresh token of this key.'
  if (/\s/.test(refreshToken)) return 'Remove spaces and line breaks.'
  return refreshToken.length > 4096 ? 'Enter at most 4096 characters.' : undefined
}

const HOST_ERROR = `Enter ${ORIGIN_FORM}.`

const addressOf = (text: string): string | undefined =>
  URL.canParse(text) ? serviceOrigin(new URL(text)) : undefined
