import type { Commit } from './virtual-disk.ts'

/** Steps at which a process may die: a labelled step of a refresh or of a revocation, or any time. */
export type CrashStep =
  | `${'before' | 'after'} ${Commit}`
  | 'refresh-sent'
  | 'refresh-received'
  | 'handed-out'
  | 'revoke-sent'
  | 'revoke-received'
  | 'anywhere'

/** The steps of a refresh, and `anywhere`. */
export const CRASH_STEPS: readonly CrashStep[] = [
  'before intent',
  'after intent',
  'refresh-sent',
  'refresh-received',
  'before token',
  'after token',
  'handed-out',
  'after note',
  'anywhere',
]

/** The steps of a revocation. */
export const REVOCATION_STEPS: readonly CrashStep[] = [
  'before outbox',
  'after outbox',
  'revoke-sent',
  'revoke-received',
]
