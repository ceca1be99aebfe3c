import type { Feature } from '../../../app/contract/ipc.ts'
import type { streamsContract } from '../../../app/contract/streams.ts'
import type { MonitorSurface } from '../monitor-surface.ts'

/** The commands for the streams that Headroom opens on a key. */
export function streamCommands(
  monitor: Pick<MonitorSurface, 'withProfile'>,
): Feature<typeof streamsContract> {
  return {
    handlers: {
      openStream: ({ profile, kind, target, options = {}, whenFull }) =>
        monitor.withProfile(profile, ({ parts }) => parts.streams.open({ kind, target, options }, whenFull)),
      closeStream: ({ profile, stream }) =>
        monitor.withProfile(profile, ({ parts }) => parts.streams.close(stream)),
      restartStream: ({ profile, stream }) =>
        monitor.withProfile(profile, ({ parts }) => parts.streams.restart(stream)),
      pinStream: ({ profile, stream, pinned }) =>
        monitor.withProfile(profile, ({ parts }) => parts.streams.pin(stream, pinned)),
    },
  }
}
