import { ofProfile } from './fields.ts'
import { command, nothing } from './ipc.ts'
import type { Outcome } from './outcome.ts'

/** Commands for a connected key. `sign-in.ts` has those that connect keys. */
export const keysContract = {
  /** Succeeds only after the service answered 200 (service 4.2). */
  revoke: command(ofProfile).returning<Outcome>(),
  /** Retries an unreachable service, an unconfirmed revocation or a failed refresh now. */
  tryNow: command(ofProfile).returning<Outcome>(),
  /** Removes a key from this app without revoking it. */
  disconnect: command(ofProfile).returning<Outcome>(),
  /**
   * Records a person's consent to store keys unprotected, for this and later starts. Fails with `not-needed`
   * unless a snapshot's `keystore` is `unprotected` for a key in memory only.
   */
  allowUnprotected: command(nothing).returning<Outcome>(),
  /** Asks the system's keyring for the saved keys again. */
  unlockKeys: command(nothing).returning<Outcome>(),
  /**
   * Opens the data folder in the system's file manager. If the system has no file manager, the error contains
   * the path.
   */
  showDataFolder: command(nothing).returning<Outcome>(),
} as const
