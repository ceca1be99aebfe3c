import type { AppContract } from '../../../app/contract/contract.ts'
import type { Pushes } from '../../../app/contract/ipc.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'

/**
 * Channel on which the preload script acknowledges snapshots. Not in the contract, because the page must not
 * use it.
 */
export const HEARD_CHANNEL = 'snapshot-heard'
/**
 * A page that has not acknowledged this many snapshots counts as blocked. At the maximum rate, one profile
 * has this many snapshots in two seconds.
 */
export const MAX_UNHEARD = 8

/** Pushes to one page, and the acknowledgements that pace them. */
export interface PacedPushes {
  readonly pushes: Pushes<AppContract>
  heard(): void
  /** Called after a new page was loaded. Expects no more acknowledgements from the old page. */
  startOver(): void
}

/**
 * Limits how many snapshots are in transit to a page.
 *
 * Electron would queue messages to a blocked page in main's memory without limit. So at most `MAX_UNHEARD`
 * snapshots are in transit, and the latest snapshot of each profile waits here. Events are rare and not
 * limited.
 */
export function pacedPushes(pushes: Pushes<AppContract>): PacedPushes {
  let unheard = 0
  const held = new Map<string, Snapshot>()
  const send = (snapshot: Snapshot) => {
    unheard += 1
    pushes.snapshotChanged(snapshot)
  }
  const sendHeld = () => {
    for (const [profile, snapshot] of held) {
      if (unheard >= MAX_UNHEARD) return
      held.delete(profile)
      send(snapshot)
    }
  }
  return {
    pushes: {
      ...pushes,
      snapshotChanged: (snapshot) => {
        if (unheard < MAX_UNHEARD) send(snapshot)
        else held.set(snapshot.profile.id, snapshot)
      },
      profileRemoved: (removed) => {
        held.delete(removed.profile)
        pushes.profileRemoved(removed)
      },
    },
    heard: () => {
      unheard = Math.max(0, unheard - 1)
      sendHeld()
    },
    startOver: () => {
      unheard = 0
      sendHeld()
    },
  }
}
