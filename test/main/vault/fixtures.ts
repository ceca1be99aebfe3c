import type { StoredTokens } from '../../../app/tokens/stored-token.ts'
import type { Profile } from '../../../main/ports/profile.ts'
import type { Vault } from '../../../main/vault/vault.ts'
import type { VaultHandle } from '../../../main/vault/vault-handle.ts'

export const NOW_MS = 1_800_000_000_000

/** A sign-in about which the service has not been asked yet. */
const SIGN_IN = { signedInAtMs: NOW_MS, keepsToken: false } as const

export function profile(changes: Partial<Profile> = {}): Profile {
  return {
    id: 'key-1',
    name: 'Main key',
    environment: 'custom',
    authUrl: 'http://127.0.0.1:1',
    baseUrl: 'http://127.0.0.1:1',
    clientId: 'client',
    clientSecret: 'CANARY-client-secret',
    refreshToken: 'CANARY-refresh-1',
    probes: { budgetFraction: 0.02, everySeconds: { Accounts: 30 }, symbol: 'AAPL', trialAfterStep: true },
    streams: [{ kind: 'positions', target: 'SIM1001', options: { a: 'b' } }],
    ...changes,
  }
}

export function vaultOf(handle: VaultHandle): Vault {
  if (handle.vault === undefined) throw new Error(`the vault is ${handle.status.state}`)
  return handle.vault
}

/** One generation of a token, as a keeper would save it. */
export function held(generation: number, refreshToken = `CANARY-refresh-${generation}`): StoredTokens {
  return { token: { generation, refreshToken, ...SIGN_IN }, standing: { kind: 'unconfirmed' } }
}

/** The stored tokens of a profile, or the reason why there are none. */
export function tokensOf(handle: VaultHandle, id = 'key-1') {
  return vaultOf(handle).tokens(id).read()
}
