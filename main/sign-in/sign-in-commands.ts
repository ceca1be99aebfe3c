import type { Feature } from '../../app/contract/ipc.ts'
import { type CommandError, type Outcome, UNKNOWN_PROFILE } from '../../app/contract/outcome.ts'
import type { NewKey, signInContract } from '../../app/contract/sign-in.ts'
import { DEFAULT_AUDIENCE, type ExtraScope } from '../../app/sign-in/authorize-url.ts'
import type { Profile } from '../ports/profile.ts'
import { addressesOf } from './connect-key.ts'
import type { ConnectedKeys, KeyName } from './corrected-secrets.ts'
import type { SignIns } from './sign-ins.ts'

export interface SignInCommandsDeps {
  readonly keys: ConnectedKeys
  readonly signIns: Pick<SignIns, 'start' | 'cancel' | 'subscribe'>
  readonly connect: (request: NewKey) => Outcome<{ readonly profile: string }>
  /** Opens stored keys that could not be read before. A sign-in then has their secrets. */
  readonly readAgain: () => void
}

type Connected = Outcome<{ readonly profile: string }>
type EnteredKey = Omit<NewKey, 'refreshToken' | 'cancelRevoke'>

/** The error for a sign-in while a revocation is pending. The revocation would also revoke the new tokens. */
export const REVOKE_PENDING: CommandError = {
  ok: false,
  code: 'revoke-pending',
  message: 'The revocation of this key isn’t confirmed. Retrying it later would end the new sign-in too.',
}

/**
 * The commands that sign in, through a browser or with a pasted token. They connect new keys, and renew keys
 * that need a sign-in.
 */
export function signInCommands({
  keys,
  signIns,
  connect,
  readAgain,
}: SignInCommandsDeps): Feature<typeof signInContract> {
  /**
   * Whether a revocation is pending and the person has not cancelled it. Checked before any sign-in (PROMISES
   * R4).
   */
  const blocked = (key: KeyName, cancelRevoke: boolean | undefined): boolean =>
    cancelRevoke !== true && keys.isRevocationPending(key)

  const again = ({ isGiven: _, ...profile }: Profile): Connected => {
    const outcome = keys.signedInAgain(profile)
    return outcome.ok ? { ok: true, profile: profile.id } : outcome
  }

  /**
   * Connects a key with its token. If the key is already connected and needs a sign-in, updates it with the
   * entered values.
   */
  const enter = (request: EnteredKey, refreshToken: string): Connected => {
    const addresses = addressesOf(request)
    if (!addresses.ok) return addresses
    const waiting = keys
      .profiles()
      .filter((id) => keys.needsSignIn(id))
      .map((id) => keys.profile(id))
      .find(
        (profile) =>
          profile?.authUrl === addresses.authUrl &&
          profile.baseUrl === addresses.baseUrl &&
          profile.clientId === request.clientId,
      )
    if (waiting === undefined) return connect({ ...request, refreshToken })
    const { clientSecret: _, ...rest } = waiting
    const { name = rest.name, clientSecret } = request
    return again({ ...rest, name, ...(clientSecret !== undefined && { clientSecret }), refreshToken })
  }

  const start = (
    key: KeyName & Pick<Profile, 'clientSecret' | 'audience' | 'orders'>,
    extraScopes: readonly ExtraScope[] | undefined,
    finish: (refreshToken: string) => Connected,
  ) => {
    const { authUrl, clientId, clientSecret, audience, orders } = key
    return signIns.start({
      key: { authUrl, clientId, ...(clientSecret !== undefined && { clientSecret }) },
      audience: audience ?? DEFAULT_AUDIENCE,
      extraScopes: extraScopes ?? [],
      // A sign-in without the Trade scope would end the permission for orders that a person gave.
      ...(orders === 'on' && { trade: 'asked' as const }),
      prepare: () => keys.suspendRevocationRetry(key),
      finish,
    })
  }

  return {
    handlers: {
      connect: async ({ refreshToken, cancelRevoke, ...request }) => {
        const addresses = addressesOf(request)
        if (!addresses.ok) return addresses
        const key = { authUrl: addresses.authUrl, clientId: request.clientId }
        if (blocked(key, cancelRevoke)) return REVOKE_PENDING
        await keys.suspendRevocationRetry(key)
        return enter(request, refreshToken)
      },

      startSignIn: async ({ extraScopes, cancelRevoke, ...request }) => {
        const addresses = addressesOf(request)
        if (!addresses.ok) return addresses
        const { clientId, clientSecret, environment, audience } = request
        const key = {
          authUrl: addresses.authUrl,
          clientId,
          ...(clientSecret !== undefined && { clientSecret }),
          ...(environment === 'custom' && audience && { audience }),
        }
        if (blocked(key, cancelRevoke)) return REVOKE_PENDING
        return start(key, extraScopes, (refreshToken) => enter(request, refreshToken))
      },

      signInAgain: async ({ profile: id, clientSecret, extraScopes, cancelRevoke }) => {
        readAgain()
        const known = keys.profile(id)
        if (known === undefined) return UNKNOWN_PROFILE
        const profile = { ...known, ...(clientSecret !== undefined && { clientSecret }) }
        if (blocked(profile, cancelRevoke)) return REVOKE_PENDING
        return start(profile, extraScopes, (refreshToken) => {
          const now = keys.profile(id)
          if (now === undefined) return UNKNOWN_PROFILE
          return again({ ...now, ...(clientSecret !== undefined && { clientSecret }), refreshToken })
        })
      },

      replaceToken: async ({ profile: id, clientSecret, refreshToken, cancelRevoke }) => {
        readAgain()
        const known = keys.profile(id)
        if (known === undefined) return UNKNOWN_PROFILE
        if (blocked(known, cancelRevoke)) return REVOKE_PENDING
        await keys.suspendRevocationRetry(known)
        // During the sign-in, the settings may have changed, or the key may have been disconnected.
        const profile = keys.profile(id)
        if (profile === undefined) return UNKNOWN_PROFILE
        return again({ ...profile, ...(clientSecret !== undefined && { clientSecret }), refreshToken })
      },

      correctSecret: async ({ profile, clientSecret }) => {
        const outcome = await keys.correctSecret(profile, clientSecret)
        return outcome.ok ? { ok: true, profile } : outcome
      },

      cancelSignIn: ({ signIn }) => signIns.cancel(signIn),
    },
    follow: ({ signInChanged }) => signIns.subscribe(signInChanged),
  }
}
