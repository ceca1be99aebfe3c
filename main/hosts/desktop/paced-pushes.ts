import type { AppContract } from '../../../app/contract/contract.ts'
import type { Pushes } from '../../../app/contract/ipc.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'

/** The preload script's answer to each snapshot; no part of the contract, because the page has no say in it. */
export const HEARD_CHANNEL = 'snapshot-heard'
/** Two seconds' worth at the fastest: more under way means that the page stands still. */
export const MAX_UNHEARD = 8

export interface PacedPushes {
  readonly pushes: Pushes<AppContract>
  heard(): void
  /** Another page is there now, and nobody answers any more for what was sent before. */
  startOver(): void
}

/**
 * A page that stands still takes no messages, and Electron keeps them for it: hours of snapshots, in main's memory.
 *
 * So only a few are under way, and of the rest the latest of each profile waits here. Events are few and go at once.
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
