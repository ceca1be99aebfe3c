import type { Feature } from '../../../app/contract/ipc.ts'
import type { streamsContract } from '../../../app/contract/streams.ts'
import type { MonitorSurface } from '../monitor-surface.ts'

export function streamCommands(
  monitor: Pick<MonitorSurface, 'withProfile'>,
): Feature<typeof streamsContract> {
  return {
    handlers: {
      openStream: ({ profile, kind, target, options = {}, replace }) =>
        monitor.withProfile(profile, ({ parts }) => parts.streams.open({ kind, target, options }, replace)),
      closeStream: ({ profile, stream, inSeconds }) =>
        monitor.withProfile(profile, ({ parts }) =>
          inSeconds === undefined ? parts.streams.close(stream) : parts.streams.closeIn(stream, inSeconds),
        ),
      keepStream: ({ profile, stream }) =>
        monitor.withProfile(profile, ({ parts }) => parts.streams.keep(stream)),
      restartStream: ({ profile, stream }) =>
        monitor.withProfile(profile, ({ parts }) => parts.streams.restart(stream)),
      pinStream: ({ profile, stream, pinned }) =>
        monitor.withProfile(profile, ({ parts }) => parts.streams.pin(stream, pinned)),
    },
  }
}
