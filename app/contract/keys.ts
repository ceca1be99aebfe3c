import { ofProfile } from './fields.ts'
import { command, nothing } from './ipc.ts'
import type { Outcome } from './outcome.ts'

/** What can be done with a connected key. How keys are connected is in sign-in.ts. */
export const keysContract = {
  /** Ends in ok only after the service answered 200 (service 4.2). */
  revoke: command(ofProfile).returning<Outcome>(),
  /** Tries an unreachable service, an unconfirmed revoke or a failed refresh again now. */
  tryNow: command(ofProfile).returning<Outcome>(),
  /** Forgets a key here and revokes nothing. */
  disconnect: command(ofProfile).returning<Outcome>(),
  /**
   * A person agrees to store keys where nothing hides them, at this start and later ones. Refused with `not-needed`
   * unless a snapshot's `keystore` says `unprotected` for a key that is in memory only.
   */
  allowUnprotected: command(nothing).returning<Outcome>(),
  /** Asks the system's keyring again for the saved keys. */
  unlockKeys: command(nothing).returning<Outcome>(),
  /** Opens the data folder in the system's file manager; refused with its path where there is none. */
  showDataFolder: command(nothing).returning<Outcome>(),
} as const
