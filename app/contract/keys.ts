import { ofProfile } from './fields.ts'
import { command, nothing } from './ipc.ts'
import type { Outcome } from './outcome.ts'

/** Commands for a connected key. `sign-in.ts` has the commands that connect keys. */
export const keysContract = {
  /** Succeeds only after the service answered 200 (service 4.2). */
  revoke: command(ofProfile).returning<Outcome>(),
  /** Retries an unreachable service, an unconfirmed revocation or a failed refresh now. */
  tryNow: command(ofProfile).returning<Outcome>(),
  /** Removes a key from this app without revoking it. */
  disconnect: command(ofProfile).returning<Outcome>(),
  /**
   * Stores keys unprotected and records the person's consent for later starts.
   *
   * Fails with `not-needed` unless the keystore's state is `unprotected`.
   */
  allowUnprotected: command(nothing).returning<Outcome>(),
  /** Asks the system's keyring for the saved keys again. */
  unlockKeys: command(nothing).returning<Outcome>(),
  /**
   * Opens the data folder in the system's file manager. Without a file manager, the error contains the path.
   */
  showDataFolder: command(nothing).returning<Outcome>(),
} as const
