import type { Programs, Withdrawal } from '../gateway/programs.ts'
import { type MonitorSurface, sessionOf } from '../monitor/monitor-surface.ts'
import { sessionReads } from './order-list.ts'
import { Orders, type OrdersDeps } from './orders.ts'

/** The host's inputs for the orders of its monitor. */
export interface MonitoredOrdersDeps
  extends Pick<OrdersDeps, 'dataFolder' | 'clock' | 'log' | 'randomBytes' | 'problem'> {
  readonly monitor: Pick<
    MonitorSurface,
    'profiles' | 'keyMark' | 'withProfile' | 'attachOrders' | 'subscribe'
  >
  readonly programs: Pick<Programs, 'list' | 'withdrawOrders' | 'bindOrders'>
  /** See `VaultHandle.isGone`. */
  readonly isGone: (profile: string) => boolean
  /** See `Vault.keysFor`. */
  readonly keysFor: (purpose: string) => readonly Uint8Array[]
}

/** Orders of a monitor's keys, shown in its snapshots. */
export function monitoredOrders({
  monitor,
  programs,
  keysFor,
  isGone,
  ...ports
}: MonitoredOrdersDeps): Orders {
  const noteWithdrawn = ({ names, saved }: Withdrawal) => {
    if (names.length > 0)
      ports.log.note('programs of a former key can no longer send orders', { names, saved })
  }
  const bind = () => noteWithdrawn(programs.bindOrders({ profiles: monitor.profiles(), isGone }))
  bind()
  const orders = new Orders({
    ...ports,
    switch: {
      state: (profile) => sessionOf(monitor, profile)?.profile.orders ?? 'off',
      maxPerMinute: (programId) => programs.list().find(({ id }) => id === programId)?.maxOrders,
    },
    profiles: () => monitor.profiles(),
    keyMark: (profile) => monitor.keyMark(profile),
    hashKeys: () => keysFor('orders'),
    read: sessionReads(monitor),
    listener: {
      changed: (profile) => sessionOf(monitor, profile)?.changed(),
      event: (profile, event) => sessionOf(monitor, profile)?.happened(event),
    },
  })
  monitor.attachOrders({
    summary: (profile) => orders.summary(profile),
    switchChanged: () => {
      bind()
      orders.switchChanged()
    },
  })
  monitor.subscribe({
    changed: () => {},
    event: () => {},
    removed: (profile) => noteWithdrawn(programs.withdrawOrders(profile)),
  })
  return orders
}
