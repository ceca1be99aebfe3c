import type { Commit } from './virtual-disk.ts'

/** The places where a process may die: at a labelled step of a refresh or of a revocation, or anywhere. */
export type CrashStep =
  | `${'before' | 'after'} ${Commit}`
  | 'refresh-sent'
  | 'refresh-received'
  | 'handed-out'
  | 'revoke-sent'
  | 'revoke-received'
  | 'anywhere'

/** Of a refresh, and of anything. */
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

/** Of a revocation. */
export const REVOCATION_STEPS: readonly CrashStep[] = [
  'before outbox',
  'after outbox',
  'revoke-sent',
  'revoke-received',
]
