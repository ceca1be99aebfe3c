import { z } from 'zod/mini'
import { type Immutable, number, openObject, optionalNumber, optionalText, text } from './fields.ts'
import { SEVERITIES } from './severity.ts'

export const keystoreState = z.enum([
  'ok',
  'memory',
  'waiting',
  'no-passphrase',
  'unreadable',
  'unavailable',
  'key-changed',
  'record-corrupt',
  'unprotected',
])

/** Id of the placeholder for saved keys whose names can't be read. */
export const SAVED_KEYS = 'saved-keys'

/** The host of a saved key whose addresses are lost. It never resolves (RFC 2606). */
export const LOST_HOST = 'unknown.invalid'

/** Why nothing can be saved, if another program removed or replaced the vault's files. */
export const VAULT_REPLACED = 'vault.db or vault.db-wal was removed or replaced'

/** State of the keystore. It decides whether a key survives a restart. */
export type KeystoreState = z.output<typeof keystoreState>

/** Why the history can't be written, and since when. Meanwhile, samples wait in memory. */
export const pausedHistory = openObject({ failure: text, since: number })

/** The root cause of a key's problem, for programs. */
export const health = openObject({
  severity: z.enum(SEVERITIES),
  /** The kind of condition (app/conditions/kinds.ts). `ok` if there is no problem. */
  cause: text,
  /** The quota or group of slots concerned. */
  subject: optionalText,
  since: optionalNumber,
  /** When the problem ends by itself, if known. */
  until: optionalNumber,
  title: text,
  action: text,
  /** The remedy that Headroom itself offers for the problem (app/conditions/remedies.ts). */
  remedy: optionalText,
})

export interface Health extends Immutable<z.output<typeof health>> {}
