import type { AppContract, Hello, Outcome } from '../app/contract/contract.ts'
import type { Handlers, Pushes } from '../app/contract/ipc.ts'
import type { Snapshot } from '../app/contract/snapshot.ts'
import type { MonitorSurface } from './monitor.ts'
import type { Clock } from './ports/ports.ts'
import { Publisher } from './publisher.ts'

/** One open window: the handlers of its commands, and its end. */
export interface WindowSession {
  readonly handlers: Handlers<AppContract>
  close(): void
}

/** What a host is given: it opens a session for each window, and tells it where the pushes go. */
export interface Windows {
  open(pushes: Pushes<AppContract>): WindowSession
}

export type ConnectRequest = Parameters<Handlers<AppContract>['connect']>[0]

export interface WindowsDeps {
  readonly monitor: MonitorSurface
  readonly clock: Clock
  readonly hello: () => Hello
  /** Checks what a person typed and connects it; the host's composition decides what else follows. */
  readonly connect: (request: ConnectRequest) => Outcome<{ readonly profile: string }>
}

/** Serves the contract to any number of windows from one monitor. */
export function openWindows({ monitor, clock, hello, connect }: WindowsDeps): Windows {
  const snapshots = () =>
    monitor
      .profiles()
      .map((profile) => monitor.snapshot(profile))
      .filter((snapshot): snapshot is Snapshot => snapshot !== undefined)

  return {
    open: (pushes) => {
      const publisher = new Publisher(clock, (profile) => monitor.snapshot(profile), pushes.snapshotChanged)
      const unsubscribe = monitor.subscribe({
        changed: (profile) => publisher.changed(profile),
        event: pushes.eventHappened,
        removed: (profile) => {
          publisher.removed(profile)
          pushes.profileRemoved({ profile })
        },
      })
      return {
        handlers: {
          hello,
          snapshots,
          events: ({ after }) => monitor.events(after),
          history: ({ profile, category, fromMs, toMs, points }) =>
            monitor.history(profile, category, fromMs, toMs, points),
          openStream: ({ profile, kind, target, options }) =>
            monitor.openStream(profile, { kind, target, options: options ?? {} }),
          closeStream: ({ profile, stream }) => monitor.closeStream(profile, stream),
          revoke: ({ profile }) => monitor.revoke(profile),
          tryNow: ({ profile }) => monitor.tryNow(profile),
          connect,
          disconnect: ({ profile }) => monitor.disconnect(profile),
          setVisible: ({ visible }) => publisher.setVisible(visible),
        },
        close: () => {
          unsubscribe()
          publisher.stop()
        },
      }
    },
  }
}
