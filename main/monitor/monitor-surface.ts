import type { LoggedEvent } from '../../app/contract/events.ts'
import type { CommandError, Outcome } from '../../app/contract/outcome.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { OrdersSurface } from '../../app/orders/ports.ts'
import type { OrdersChoice, Profile } from '../ports/profile.ts'
import type { ProfileSession } from './profile-session.ts'

/** Callbacks of a monitor. */
export interface MonitorListener {
  /** The profile's snapshot changed. Not throttled: subscribers throttle if they need to. */
  changed(profile: string): void
  event(event: LoggedEvent): void
  removed(profile: string): void
}

/** Orders of the connected keys, as snapshots show them. */
export type AttachedOrders = Pick<OrdersSurface, 'summary' | 'switchChanged'>

/** The interface between the app and its hosts. */
export interface MonitorSurface {
  connect(profile: Profile): void
  disconnect(profile: string): Outcome
  /** The snapshot of a profile, computed for the time of the call; `undefined` if it is not connected. */
  snapshot(profile: string): Snapshot | undefined
  profiles(): readonly string[]
  /**
   * A digest that distinguishes a connected key from a former key with the same id. `undefined` for a key
   * that is not connected, or whose addresses are damaged.
   */
  keyMark(id: string): string | undefined
  /** Events with a `seq` above `after`, oldest first, at most 500. */
  events(after: number): readonly LoggedEvent[]
  /**
   * Opens or closes a key's switch for orders, and stores this for later starts. Stopping takes effect even
   * if it can't be stored.
   */
  setOrders(id: string, orders: OrdersChoice): Outcome
  /** Includes the orders of each key in snapshots from now on. */
  attachOrders(orders: AttachedOrders): void
  /** Runs a function on a connected key; returns an error if the key is not connected. */
  withProfile<R>(id: string, run: (session: ProfileSession) => R): R | CommandError
  subscribe(listener: MonitorListener): () => void
  /** Must be called before the machine sleeps. */
  sleep(): void
  /** Must be called after the machine has slept, to evaluate all deadlines again. */
  wake(): void
  /** Closes all streams and timers. */
  stop(): void
}
