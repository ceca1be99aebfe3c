import { SAVED_KEYS } from '../contract/key-health.ts'
import { PAUSE_MINUTES } from '../contract/programs.ts'
import type { RequestQuota, Snapshot } from '../contract/snapshot.ts'
import { scopeOf } from '../service/categories.ts'
import { busiestProgram, type Condition, isMostlyOwn, replacementOf } from './evaluate.ts'
import type { ConditionKind } from './kinds.ts'

/** What Headroom can do about a condition itself: a stable word for programs. */
export type RemedyKind =
  | 'connect'
  | 'sign-in'
  | 'correct-key'
  | 'try-now'
  | 'save-now'
  | 'store-unprotected'
  | 'unlock'
  | 'free-space'
  | 'reopen-streams'
  | 'replace-stream'
  | 'pause-program'

/** A remedy with the words of its button. */
export interface Remedy {
  readonly kind: RemedyKind
  readonly label: string
  /** The id of the stream that is closed, or the name of the program that is paused. */
  readonly target?: string
}

const LABELS: Readonly<Record<Exclude<RemedyKind, 'replace-stream' | 'pause-program'>, string>> = {
  connect: 'Connect again',
  'sign-in': 'Sign in',
  'correct-key': 'Correct the secret',
  'try-now': 'Try now',
  'save-now': 'Save now',
  'store-unprotected': 'Store anyway',
  unlock: 'Unlock',
  'free-space': 'Free space',
  'reopen-streams': 'Reopen all',
}

const KINDS: { readonly [K in ConditionKind]?: keyof typeof LABELS } = {
  'keys-damaged': 'sign-in',
  'keys-locked': 'unlock',
  'keys-sealed-elsewhere': 'sign-in',
  'hosts-unreachable': 'try-now',
  'sign-in-host-gone': 'try-now',
  'sign-in-host-unreachable': 'try-now',
  'signed-out': 'sign-in',
  'key-rejected': 'correct-key',
  revoked: 'sign-in',
  'revocation-unconfirmed': 'try-now',
  'token-rejected': 'sign-in',
  'service-unreachable': 'try-now',
  'service-failing': 'try-now',
  'no-stream-data': 'reopen-streams',
  'token-not-saved': 'save-now',
  'history-paused': 'free-space',
  'renewal-failing': 'try-now',
  'sign-in-ends': 'sign-in',
  'keyring-unprotected': 'store-unprotected',
}

/** What Headroom can do about a condition of this key; `undefined` where it can do nothing itself. */
export function remedyOf({ kind, subject, row }: Condition, snapshot: Snapshot): Remedy | undefined {
  switch (kind) {
    case 'keys-damaged':
      // Of keys without a name nothing is known that a sign-in could use.
      if (snapshot.profile.id === SAVED_KEYS) return { kind: 'connect', label: LABELS.connect }
      break
    case 'keys-locked':
      // A passphrase is asked for at a start.
      if (snapshot.keystore !== 'waiting') return undefined
      break
    case 'history-paused':
      if (snapshot.pausedHistory?.failure !== 'full') return undefined
      break
    case 'permission-missing':
      return { kind: 'sign-in', label: `Sign in with ${scopeOf(subject ?? '')}` }
    case 'slots-full':
      return replacing(subject, snapshot)
    case 'own-use':
    case 'others-use-refill':
    case 'rate-limited':
    case 'empty':
    case 'running-out':
      return row && pausing(row, snapshot)
  }
  const plain = KINDS[kind]
  return plain && { kind: plain, label: LABELS[plain] }
}

/** Closing the quietest own stream of a group whose slots another one waits for. */
function replacing(category: string | undefined, snapshot: Snapshot): Remedy | undefined {
  const { quietest } = replacementOf(category, snapshot) ?? {}
  if (quietest === undefined) return undefined
  return { kind: 'replace-stream', label: `Replace ${quietest.target}`, target: quietest.id }
}

/** Pausing the program that asks most, where the use of a quota is mostly own. */
function pausing(row: RequestQuota, snapshot: Snapshot): Remedy | undefined {
  const program = isMostlyOwn(row) ? busiestProgram(row, snapshot) : undefined
  if (program === undefined || program.pausedUntil !== undefined) return undefined
  const { name } = program
  return { kind: 'pause-program', label: `Pause ${name} ${PAUSE_MINUTES} min`, target: name }
}
