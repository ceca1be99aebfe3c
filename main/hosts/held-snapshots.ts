import type { AppContract } from '../../app/contract/contract.ts'
import type { Pushes } from '../../app/contract/ipc.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'

/**
 * Pushes to a window that may be slow. While `isBlocked`, only the latest snapshot of each profile waits.
 * Other pushes are sent at once.
 */
export function heldSnapshots(pushes: Pushes<AppContract>, isBlocked: () => boolean) {
  const held = new Map<string, Snapshot>()
  return {
    pushes: {
      ...pushes,
      snapshotChanged: (snapshot: Snapshot) => {
        if (isBlocked()) held.set(snapshot.profile.id, snapshot)
        else pushes.snapshotChanged(snapshot)
      },
      profileRemoved: (removed: { readonly profile: string }) => {
        held.delete(removed.profile)
        pushes.profileRemoved(removed)
      },
    },
    /** Sends the waiting snapshots until the window is blocked again. */
    release: () => {
      for (const [profile, snapshot] of held) {
        if (isBlocked()) return
        held.delete(profile)
        pushes.snapshotChanged(snapshot)
      }
    },
    clear: () => held.clear(),
  }
}
