import { conditionsOf, isStopped } from '../../../app/conditions/evaluate.ts'
import { NOT_REOPENED } from '../../../app/conditions/messages/streams.ts'
import type { Feature } from '../../../app/contract/ipc.ts'
import type { streamsContract } from '../../../app/contract/streams.ts'
import { openStreams } from '../../../app/status/stream-status.ts'
import type { MonitorSurface } from '../monitor-surface.ts'

export function streamCommands(
  monitor: Pick<MonitorSurface, 'withProfile' | 'snapshot'>,
): Feature<typeof streamsContract> {
  /** Whether an open stream would end for one that can't open, because all calls fail. */
  const endsForNothing = (profile: string, stream: string | undefined): boolean => {
    const snapshot = monitor.snapshot(profile)
    const isOpen = openStreams(snapshot?.streams ?? []).some(({ id }) => id === stream)
    return snapshot !== undefined && isOpen && isStopped(conditionsOf(snapshot, snapshot.at))
  }
  return {
    handlers: {
      openStream: ({ profile, kind, target, options = {}, replace }) =>
        endsForNothing(profile, replace)
          ? NOT_REOPENED
          : monitor.withProfile(profile, ({ parts }) =>
              parts.streams.open({ kind, target, options }, replace),
            ),
      closeStream: ({ profile, stream, inSeconds }) =>
        monitor.withProfile(profile, ({ parts }) =>
          inSeconds === undefined ? parts.streams.close(stream) : parts.streams.closeIn(stream, inSeconds),
        ),
      keepStream: ({ profile, stream }) =>
        monitor.withProfile(profile, ({ parts }) => parts.streams.keep(stream)),
      restartStream: ({ profile, stream }) =>
        endsForNothing(profile, stream)
          ? NOT_REOPENED
          : monitor.withProfile(profile, ({ parts }) => parts.streams.restart(stream)),
      pinStream: ({ profile, stream, pinned }) =>
        monitor.withProfile(profile, ({ parts }) => parts.streams.pin(stream, pinned)),
    },
  }
}
