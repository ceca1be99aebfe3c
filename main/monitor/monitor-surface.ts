import type { LoggedEvent } from '../../app/contract/events.ts'
import type { CommandError, Outcome } from '../../app/contract/outcome.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { OrdersSurface } from '../../app/orders/ports.ts'
import type { OrdersChoice, Profile } from '../ports/profile.ts'
import type { ProfileSession } from './profile-session.ts'

export interface MonitorListener {
  /** The profile's snapshot changed. Calls are not throttled. */
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
  /** The snapshot of a profile at the time of the call. `undefined` if the profile is not connected. */
  snapshot(profile: string): Snapshot | undefined
  profiles(): readonly string[]
  /**
   * A digest that distinguishes a connected key from a former key with the same id. `undefined` for a key
   * that is not connected or has damaged addresses.
   */
  keyMark(id: string): string | undefined
  /** Events with a `seq` above `after`, oldest first, at most 500. */
  events(after: number): readonly LoggedEvent[]
  /**
   * Allows or stops a key's orders, now and after restarts. Stopping takes effect even if it can't be stored.
   */
  setOrders(id: string, orders: OrdersChoice): Outcome
  /** Includes each key's orders in snapshots from now on. */
  attachOrders(orders: AttachedOrders): void
  /** Runs a function on a connected key. Returns an error if the key is not connected. */
  withProfile<R>(id: string, run: (session: ProfileSession) => R): R | CommandError
  subscribe(listener: MonitorListener): () => void
  /** Call this before the machine sleeps. */
  sleep(): void
  /** Call this after the machine has slept. All deadlines are evaluated again. */
  wake(): void
  /** Closes all streams and timers. */
  stop(): void
}

/** The snapshots of all connected profiles. */
export const snapshotsOf = (monitor: Pick<MonitorSurface, 'profiles' | 'snapshot'>): readonly Snapshot[] =>
  monitor.profiles().flatMap((profile) => monitor.snapshot(profile) ?? [])

/** The session of a key. `undefined` if the key is not connected. */
export function sessionOf(
  monitor: Pick<MonitorSurface, 'withProfile'>,
  id: string,
): ProfileSession | undefined {
  const found = monitor.withProfile(id, (session) => ({ ok: true as const, session }))
  return found.ok ? found.session : undefined
}
