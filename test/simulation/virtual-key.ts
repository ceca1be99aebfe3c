import type { Profile } from '../../main/ports/profile.ts'

const ORIGIN = 'https://service.test'
export const PROFILE = 'key'

export const CREDENTIALS = {
  clientId: 'virtual-key',
  clientSecret: 'Vd7qX2-secret-of-the-key',
  refreshToken: 'Rq9-first-in-the-simulation',
}

/** The one key of the virtual world. */
export const KEY = {
  name: 'Virtual key',
  environment: 'custom',
  authUrl: ORIGIN,
  baseUrl: ORIGIN,
  ...CREDENTIALS,
} satisfies Partial<Profile>
