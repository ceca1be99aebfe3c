import type { CommandError, Outcome } from '../../app/contract/outcome.ts'
import type { NewKey } from '../../app/contract/sign-in.ts'
import { ORIGIN_FORM, serviceOrigin } from '../../app/service/service-origin.ts'
import { PROVIDER_HOSTS } from '../../app/sign-in/provider-hosts.ts'
import { DEFAULT_PROBES, type Profile } from '../ports/profile.ts'

interface ConnectedKeys {
  connect(profile: Profile): void
  /** The ids of the connected keys. */
  profiles(): readonly string[]
}

/** Validates the entered values and connects the key under a new id. */
export function connectKey(
  monitor: ConnectedKeys,
  request: NewKey,
  /** Ids of stored keys, connected or not. */
  reserved: readonly string[] = [],
): Outcome<{ readonly profile: string }> {
  const { environment, name = 'Main key', clientId, clientSecret, refreshToken, audience } = request
  const addresses = addressesOf(request)
  if (!addresses.ok) return addresses
  const { authUrl, baseUrl } = addresses
  const taken = new Set([...monitor.profiles(), ...reserved])
  let number = 1
  while (taken.has(`key-${number}`)) number += 1
  const profile: Profile = {
    id: `key-${number}`,
    name,
    environment,
    authUrl,
    baseUrl,
    clientId,
    ...(clientSecret !== undefined && { clientSecret }),
    refreshToken,
    ...(environment === 'custom' && audience && { audience }),
    probes: DEFAULT_PROBES,
    streams: [],
  }
  monitor.connect(profile)
  return { ok: true, profile: profile.id }
}

/**
 * The hosts to which a key's tokens may be sent: the provider's hosts, or the hosts that a person entered.
 */
export function addressesOf(
  request: Pick<NewKey, 'environment' | 'authUrl' | 'baseUrl'>,
): Outcome<{ readonly authUrl: string; readonly baseUrl: string }> {
  const { environment, authUrl = '', baseUrl = '' } = request
  if (environment !== 'custom') return { ok: true, ...PROVIDER_HOSTS[environment] }
  const auth = addressOf(authUrl)
  if (!auth) return refused('sign-in address', authUrl)
  const base = addressOf(baseUrl)
  if (!base) return refused('service address', baseUrl)
  return { ok: true, authUrl: auth, baseUrl: base }
}

/** The origin of an address as entered. `undefined` if no token may be sent there. */
export const addressOf = (text: string): string | undefined =>
  URL.canParse(text) ? serviceOrigin(new URL(text)) : undefined

function refused(what: string, value: string): CommandError {
  const shown =
    value === '' ? 'nothing' : value.includes('@') ? 'a user name or password' : `“${value.slice(0, 80)}”`
  return {
    ok: false,
    code: 'bad-address',
    message: `Enter the ${what} as ${ORIGIN_FORM}. You entered ${shown}.`,
  }
}
