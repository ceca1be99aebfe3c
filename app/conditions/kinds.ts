/** The parts of a key's health, in the order in which they are listed. */
export const ASPECTS = ['sign-in', 'service', 'streams', 'slots', 'quotas', 'data'] as const
export type Aspect = (typeof ASPECTS)[number]

/** What a condition is part of, and which conditions are its consequences. */
interface KindRow {
  readonly aspect: Aspect
  /** Kinds that are no headline while this one is open; a kind of one quota only on that quota. */
  readonly explains: readonly string[]
  /** Whether no call succeeds while it is open, so that nothing about the key is known to be fine. */
  readonly stopsCalls: boolean
}

/** Conditions of single quotas. */
const ROW_KINDS = ['rate-limited', 'running-out', 'empty', 'low'] as const
/** What follows where the service is not asked successfully. */
const OF_NO_ANSWER = [
  ...ROW_KINDS,
  'others-use-refill',
  'own-use',
  'no-headers',
  'check-rejected',
  'permission-missing',
  'quota-failing',
  'no-stream-data',
  'streams-silent',
  'streams-waiting',
  'slots-full',
  'not-checked',
] as const
/** What follows where no access token can be had. */
const OF_NO_TOKEN = [
  ...OF_NO_ANSWER,
  'renewal-failing',
  'sign-in-ends',
  'token-rejected',
  'service-failing',
  'service-unreachable',
] as const

const stops = (aspect: Aspect, explains: readonly string[]) => ({ aspect, explains, stopsCalls: true })
const leaves = (aspect: Aspect, ...explains: string[]) => ({ aspect, explains, stopsCalls: false })

/**
 * Everything that can be wrong with a key, or worth telling. Among roots of one severity the upper one is the headline.
 *
 * An expired access token turns `sign-in-host-unreachable` into `sign-in-host-gone`: with a living one calls go on.
 */
export const CONDITIONS = {
  'keys-damaged': stops('sign-in', [...OF_NO_TOKEN, 'signed-out']),
  'keys-locked': stops('sign-in', [...OF_NO_TOKEN, 'signed-out']),
  'keys-unreadable': stops('sign-in', [...OF_NO_TOKEN, 'signed-out']),
  'keys-sealed-elsewhere': stops('sign-in', [...OF_NO_TOKEN, 'signed-out']),
  'hosts-unreachable': stops('service', OF_NO_TOKEN),
  'sign-in-host-gone': stops('sign-in', OF_NO_TOKEN),
  'sign-in-host-unreachable': leaves('sign-in', 'renewal-failing'),
  'signed-out': stops('sign-in', OF_NO_TOKEN),
  'key-rejected': stops('sign-in', OF_NO_TOKEN),
  // No token is left that could be lost.
  revoked: stops('sign-in', [...OF_NO_TOKEN, 'token-not-saved', 'keyring-away', 'keyring-unprotected']),
  revoking: stops('sign-in', OF_NO_TOKEN),
  'revocation-unconfirmed': stops('sign-in', OF_NO_TOKEN),
  'token-rejected': stops('sign-in', OF_NO_ANSWER),
  'service-unreachable': stops('service', OF_NO_ANSWER),
  'service-failing': stops('service', OF_NO_ANSWER),
  'permission-missing': leaves('sign-in', ...ROW_KINDS),
  'no-headers': leaves('service', 'not-checked', ...ROW_KINDS),
  'no-stream-data': leaves('streams', 'streams-silent', 'streams-waiting'),
  'token-not-saved': leaves('sign-in', 'keyring-away', 'history-paused'),
  'history-paused': leaves('data'),
  'others-use-refill': leaves('quotas', ...ROW_KINDS),
  'own-use': leaves('quotas', ...ROW_KINDS),
  'rate-limited': leaves('quotas'),
  empty: leaves('quotas'),
  'running-out': leaves('quotas'),
  'renewal-failing': leaves('sign-in'),
  'sign-in-ends': leaves('sign-in'),
  'slots-full': leaves('slots', 'streams-waiting'),
  'streams-silent': leaves('streams'),
  'streams-waiting': leaves('streams'),
  'quota-failing': leaves('service'),
  'check-rejected': leaves('quotas'),
  low: leaves('quotas'),
  'keyring-away': leaves('sign-in'),
  'keyring-unprotected': leaves('sign-in'),
  'not-checked': leaves('data'),
} as const satisfies Record<string, KindRow>

export type ConditionKind = keyof typeof CONDITIONS

export const CONDITION_KINDS = Object.keys(CONDITIONS) as readonly ConditionKind[]

/** Whether `cause` explains `kind`. */
export const explains = (cause: ConditionKind, kind: ConditionKind): boolean =>
  (CONDITIONS[cause].explains as readonly string[]).includes(kind)
