import { LOST_HOST } from '../contract/key-health.ts'
import { PAUSE_MINUTES } from '../contract/programs.ts'
import { type RequestQuota, SIGN_IN_TO_REVOKE, type Snapshot } from '../contract/snapshot.ts'
import { busiestProgram, type Condition, isMostlyOwn, replacementOf } from './evaluate.ts'
import type { ConditionKind } from './kinds.ts'
import { isDiskFull } from './messages/orders.ts'
import { scopesText } from './messages/problems.ts'

/** Stable code of a remedy, for programs. */
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
  | 'dismiss-orders'
  | 'allow-orders'

/** A remedy with its button's label. */
export interface Remedy {
  readonly kind: RemedyKind
  readonly label: string
  /** The id of the stream to close, or the name of the program to pause. */
  readonly target?: string
}

const LABELS: Readonly<
  Record<Exclude<RemedyKind, 'replace-stream' | 'pause-program' | 'dismiss-orders'>, string>
> = {
  connect: 'Connect again',
  'sign-in': 'Sign in',
  'correct-key': 'Correct the secret',
  'try-now': 'Try now',
  'save-now': 'Save now',
  'store-unprotected': 'Store anyway',
  unlock: 'Unlock',
  'free-space': 'Open data folder',
  'reopen-streams': 'Reopen all',
  'allow-orders': 'Allow orders…',
}

const KINDS: { readonly [K in ConditionKind]?: keyof typeof LABELS } = {
  'keys-damaged': 'sign-in',
  'keys-locked': 'unlock',
  'keyring-away': 'unlock',
  'keys-sealed-elsewhere': 'sign-in',
  'hosts-unreachable': 'try-now',
  'sign-in-host-gone': 'try-now',
  'sign-in-host-unreachable': 'try-now',
  'signed-out': 'sign-in',
  'key-rejected': 'correct-key',
  revoked: 'sign-in',
  'revocation-unconfirmed': 'try-now',
  'service-unreachable': 'try-now',
  'service-failing': 'try-now',
  'desk-unreachable': 'try-now',
  'no-stream-data': 'reopen-streams',
  'token-not-saved': 'save-now',
  'history-paused': 'free-space',
  'renewal-failing': 'try-now',
  'sign-in-ends': 'sign-in',
  'keyring-unprotected': 'store-unprotected',
  'orders-failed': 'free-space',
  'orders-forbidden': 'allow-orders',
  'orders-stopped': 'allow-orders',
}

/** The remedy that Headroom itself offers for a condition of this key. `undefined` without a remedy. */
export function remedyOf({ kind, subject, row, problem }: Condition, snapshot: Snapshot): Remedy | undefined {
  switch (kind) {
    case 'keys-damaged':
      // A sign-in needs the key's addresses, which are unknown here.
      if (snapshot.service.host === LOST_HOST) return { kind: 'connect', label: LABELS.connect }
      break
    case 'keys-locked':
      // The passphrase is requested only at startup.
      if (snapshot.keystore !== 'waiting') return undefined
      break
    case 'revocation-unconfirmed':
      if (snapshot.refresh.reason === SIGN_IN_TO_REVOKE) return { kind: 'sign-in', label: LABELS['sign-in'] }
      break
    case 'desk-unreachable':
      // The machines choose a dispatcher by themselves.
      if (snapshot.desk?.engine.reachable) return undefined
      break
    case 'history-paused':
      if (snapshot.pausedHistory?.failure !== 'full') return undefined
      break
    case 'order-unknown': {
      const count = snapshot.orders?.unknown.length ?? 0
      return { kind: 'dismiss-orders', label: count > 1 ? 'Dismiss all' : 'Dismiss' }
    }
    case 'orders-failed':
      if (!isDiskFull(snapshot.orders?.why)) return undefined
      break
    case 'token-rejected':
      // The key must be connected again, with another host.
      return { kind: 'connect', label: 'Change host…' }
    case 'permission-missing':
      return { kind: 'sign-in', label: `Sign in with ${scopesText(problem?.categories ?? [])}` }
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

/**
 * The remedy for a full slot group: close the quietest of Headroom's own streams, if another stream waits for
 * a slot.
 */
function replacing(category: string | undefined, snapshot: Snapshot): Remedy | undefined {
  const { quietest } = replacementOf(category, snapshot) ?? {}
  if (quietest === undefined) return undefined
  return { kind: 'replace-stream', label: `Replace ${quietest.target}`, target: quietest.id }
}

/** The remedy for high own use: pause the busiest program, if the quota's use is mostly own. */
function pausing(row: RequestQuota, snapshot: Snapshot): Remedy | undefined {
  const program = isMostlyOwn(row) ? busiestProgram(row, snapshot) : undefined
  if (program === undefined || program.pausedUntil !== undefined) return undefined
  const { name } = program
  return { kind: 'pause-program', label: `Pause ${name} ${PAUSE_MINUTES} min`, target: name }
}
