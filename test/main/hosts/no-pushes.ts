import type { AppContract } from '../../../app/contract/contract.ts'
import type { Pushes } from '../../../app/contract/ipc.ts'

/** A window that ignores all pushes. */
export const NO_PUSHES: Pushes<AppContract> = {
  snapshotChanged: () => {},
  eventHappened: () => {},
  profileRemoved: () => {},
  alertsChanged: () => {},
  alertAnnounced: () => {},
  timeZoneChanged: () => {},
  signInChanged: () => {},
}
