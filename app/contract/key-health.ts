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

/** The id of the key that stands for saved keys of which not even the names can be read. */
export const SAVED_KEYS = 'saved-keys'

/** How far a key can be relied on to be here after a restart. */
export type KeystoreState = z.output<typeof keystoreState>

/** Why the history can't be written, since when; samples wait in memory meanwhile. */
export const pausedHistory = openObject({ failure: text, since: number })

/** The root cause of what is wrong with a key, for programs. */
export const health = openObject({
  severity: z.enum(SEVERITIES),
  /** The kind of condition (app/conditions/kinds.ts); `ok` where nothing is wrong. */
  cause: text,
  /** The quota or the group of slots that it is about. */
  subject: optionalText,
  since: optionalNumber,
  /** When it ends by itself, as far as that is known. */
  until: optionalNumber,
  title: text,
  action: text,
  /** What Headroom can do about it itself (app/conditions/remedies.ts). */
  remedy: optionalText,
})

/** The root cause of what is wrong with a key. */
export interface Health extends Immutable<z.output<typeof health>> {}
