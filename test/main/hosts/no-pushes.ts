import type { AppContract } from '../../../app/contract/contract.ts'
import type { Pushes } from '../../../app/contract/ipc.ts'

/** A window that takes no notice of what is pushed to it. */
export const NO_PUSHES: Pushes<AppContract> = {
  snapshotChanged: () => {},
  eventHappened: () => {},
  profileRemoved: () => {},
  alertsChanged: () => {},
  alertAnnounced: () => {},
  timeZoneChanged: () => {},
  signInChanged: () => {},
}
