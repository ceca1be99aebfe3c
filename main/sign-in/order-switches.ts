import { keepNewest } from '../../app/contract/newest.ts'
import { ENDING_LENGTH } from '../../app/contract/orders.ts'
import { type CommandError, type Outcome, UNKNOWN_PROFILE } from '../../app/contract/outcome.ts'
import type { SignInStatus, StartedSignIn } from '../../app/contract/sign-in.ts'
import { DEFAULT_AUDIENCE, EXTRA_SCOPES } from '../../app/sign-in/authorize-url.ts'
import { isLive } from '../../app/sign-in/provider-hosts.ts'
import { hostOf } from '../network/reachability.ts'
import type { OrdersChoice, Profile } from '../ports/profile.ts'
import type { ConnectedKeys } from './corrected-secrets.ts'
import { REVOKE_PENDING } from './sign-in-commands.ts'
import type { SignIns } from './sign-ins.ts'

export interface SwitchedKeys extends Pick<ConnectedKeys, 'profiles' | 'profile'> {
  setOrders(profile: string, orders: OrdersChoice): Outcome
}

export interface SignInParts {
  readonly signIns: Pick<SignIns, 'start' | 'cancel' | 'subscribe'>
  readonly keys: Pick<ConnectedKeys, 'signedInAgain' | 'isRevocationPending' | 'suspendRevocationRetry'>
  /** The scopes of a key's access token. */
  scopesOf(profile: string): readonly string[]
}

type Ended = Exclude<SignInStatus, { state: 'waiting' }>

/** A sign-in in progress that will allow a key's orders, unless it is stopped first. */
interface Opening {
  readonly profile: string
  /** The sign-in's id, known after the sign-in has started. */
  signIn?: string
  isStopped: boolean
}

/** Maximum number of ended sign-ins whose results are kept for a command that requests them later. */
const MAX_ENDED = 16

/**
 * The switch for orders of each key. A sign-in with the Trade scope turns it on. Turning it off takes effect
 * immediately.
 *
 * No sign-in is needed for a key from `HEADROOM_REFRESH_TOKEN`, or in a process without sign-ins.
 */
export class OrderSwitches {
  readonly #keys: SwitchedKeys
  readonly #parts: SignInParts | undefined
  readonly #ended = new Map<string, Ended>()
  readonly #waiting = new Map<string, (ended: Ended) => void>()
  readonly #openings = new Set<Opening>()

  constructor(keys: SwitchedKeys, parts?: SignInParts) {
    this.#keys = keys
    this.#parts = parts
    // Subscribes before any start, because a sign-in may end before `start` returns.
    parts?.signIns.subscribe((status) => {
      if (status.state !== 'waiting') this.#end(status)
    })
  }

  async allow(id: string, ending?: string): Promise<Outcome<{ readonly signIn?: StartedSignIn }>> {
    const known = this.#keys.profile(id)
    if (known === undefined) return UNKNOWN_PROFILE
    if (isLive(known.environment, hostOf(known.baseUrl)) && ending !== endingOf(known))
      return ending === undefined ? ENDING_NEEDED : WRONG_ENDING
    if (this.#parts === undefined || known.isGiven) return this.#keys.setOrders(id, 'on')
    const { signIns, keys, scopesOf } = this.#parts
    if (keys.isRevocationPending(known)) return REVOKE_PENDING
    const { authUrl, clientId, clientSecret, audience = DEFAULT_AUDIENCE } = known
    const granted = scopesOf(id)
    const opening: Opening = { profile: id, isStopped: false }
    this.#openings.add(opening)
    const signIn = await signIns.start({
      key: { authUrl, clientId, ...(clientSecret !== undefined && { clientSecret }) },
      audience,
      extraScopes: EXTRA_SCOPES.filter((scope) => granted.includes(scope)),
      trade: 'needed',
      prepare: () => keys.suspendRevocationRetry(known),
      finish: (refreshToken) => {
        if (opening.isStopped) return STOPPED_MEANWHILE
        const now = this.#keys.profile(id)
        if (now === undefined) return UNKNOWN_PROFILE
        const outcome = keys.signedInAgain({ ...now, refreshToken, orders: 'on' })
        return outcome.ok ? { ok: true, profile: id } : outcome
      },
    })
    if (signIn.ok) opening.signIn = signIn.signIn
    if (!signIn.ok || this.#ended.has(signIn.signIn)) this.#openings.delete(opening)
    if (!signIn.ok) return signIn
    if (!opening.isStopped) return { ok: true, signIn }
    signIns.cancel(signIn.signIn)
    return STOPPED_MEANWHILE
  }

  /** Waits for the end of a sign-in that `allow` started. */
  async allowed(signIn: string): Promise<Outcome<{ readonly profile: string }>> {
    const ended =
      this.#ended.get(signIn) ?? (await new Promise<Ended>((resolve) => this.#waiting.set(signIn, resolve)))
    return ended.state === 'done'
      ? { ok: true, profile: ended.profile }
      : { ok: false, code: ended.code, message: ended.message }
  }

  /** Cancels a sign-in after the command that waited for it has ended. */
  cancel(signIn: string): void {
    this.#waiting.delete(signIn)
    this.#parts?.signIns.cancel(signIn)
  }

  /**
   * Stops the orders of one key, or of all keys if `profile` is absent. A key whose orders were never allowed
   * stays unchanged.
   *
   * Also cancels sign-ins in progress that would allow orders. If it is too late to cancel one, orders stay
   * stopped anyway.
   */
  stop(profile?: string): Outcome {
    if (profile !== undefined && this.#keys.profile(profile) === undefined) return UNKNOWN_PROFILE
    const ids = profile === undefined ? this.#keys.profiles() : [profile]
    const openings = [...this.#openings].filter((opening) => ids.includes(opening.profile))
    for (const opening of openings) opening.isStopped = true
    const allowed = ids.filter(
      (id) =>
        this.#keys.profile(id)?.orders !== undefined || openings.some((opening) => opening.profile === id),
    )
    const failed = allowed.map((id) => this.#keys.setOrders(id, 'stopped')).find(({ ok }) => !ok)
    for (const { signIn } of openings) if (signIn !== undefined) this.#parts?.signIns.cancel(signIn)
    return failed ?? { ok: true }
  }

  #end(status: Ended): void {
    this.#ended.set(status.signIn, status)
    keepNewest(this.#ended, MAX_ENDED)
    for (const opening of this.#openings) if (opening.signIn === status.signIn) this.#openings.delete(opening)
    this.#waiting.get(status.signIn)?.(status)
    this.#waiting.delete(status.signIn)
  }
}

const endingOf = ({ clientId }: Profile): string => clientId.slice(-ENDING_LENGTH)

const ENDING_NEEDED: CommandError = {
  ok: false,
  code: 'ending-needed',
  message: 'Type the last four characters of the API key.',
}

const STOPPED_MEANWHILE: CommandError = {
  ok: false,
  code: 'orders-stopped',
  message: 'Orders were stopped in the meantime and stay stopped.',
}

const WRONG_ENDING: CommandError = {
  ok: false,
  code: 'wrong-ending',
  message: 'These aren’t the last four characters of the API key. Nothing was changed.',
}
