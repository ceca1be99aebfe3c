import type { AppContract } from '../../../app/contract/contract.ts'
import type { Pushes } from '../../../app/contract/ipc.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { heldSnapshots } from '../held-snapshots.ts'

/**
 * Channel on which the preload script acknowledges snapshots. Not in the contract, because the page must not
 * use it.
 */
export const ACKNOWLEDGE_CHANNEL = 'acknowledge-snapshot'
/**
 * A page that has not acknowledged this many snapshots counts as blocked. At the maximum rate, one profile
 * has this many snapshots in two seconds.
 */
export const MAX_UNACKNOWLEDGED = 8

/** Pushes to one page, and the acknowledgements that pace them. */
export interface PacedPushes {
  readonly pushes: Pushes<AppContract>
  acknowledge(): void
  /** Called after a new page was loaded. Expects no more acknowledgements from the old page. */
  startOver(): void
}

/**
 * Limits how many snapshots are in transit to a page.
 *
 * Electron would queue messages to a blocked page in main's memory without limit. So at most
 * `MAX_UNACKNOWLEDGED` snapshots are in transit, and the latest snapshot of each profile waits here. Events
 * are rare and not limited.
 */
export function pacedPushes(pushes: Pushes<AppContract>): PacedPushes {
  let unacknowledged = 0
  const snapshotChanged = (snapshot: Snapshot) => {
    unacknowledged += 1
    pushes.snapshotChanged(snapshot)
  }
  const held = heldSnapshots({ ...pushes, snapshotChanged }, () => unacknowledged >= MAX_UNACKNOWLEDGED)
  return {
    pushes: held.pushes,
    acknowledge: () => {
      unacknowledged = Math.max(0, unacknowledged - 1)
      held.release()
    },
    startOver: () => {
      unacknowledged = 0
      held.release()
    },
  }
}
