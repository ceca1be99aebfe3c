import type { Profile } from '../../main/ports/profile.ts'

/** A key with a refresh token. Only a scripted network answers for its service. */
export const EXAMPLE_KEY: Profile = {
  id: 'key-1',
  name: 'Mine',
  environment: 'custom',
  authUrl: 'https://auth.test',
  baseUrl: 'https://api.test',
  clientId: 'client',
  refreshToken: 'the-refresh-token',
  probes: { budgetFraction: 0.02, everySeconds: {} },
  streams: [],
}

/** A key of the simulated service at `origin`, which makes no checks unless `changes` says so. */
export const simulatedKey = (origin: string, changes: Partial<Profile> = {}): Profile => ({
  ...EXAMPLE_KEY,
  environment: 'simulator',
  authUrl: origin,
  baseUrl: origin,
  clientId: 'sim-key',
  refreshToken: 'sim-refresh',
  probes: { enabled: false, budgetFraction: 0, everySeconds: {} },
  ...changes,
})
