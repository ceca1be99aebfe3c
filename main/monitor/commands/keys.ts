import type { Feature, Handlers } from '../../../app/contract/ipc.ts'
import type { keysContract } from '../../../app/contract/keys.ts'
import type { MonitorSurface } from '../monitor-surface.ts'

export function keyCommands(
  monitor: Pick<MonitorSurface, 'withProfile' | 'disconnect'>,
  {
    readAgain,
    ...ofFolder
  }: Pick<Handlers<typeof keysContract>, 'allowUnprotected' | 'unlockKeys' | 'showDataFolder'> & {
    /** Opens stored keys that could not be read before. */
    readonly readAgain: () => void
  },
): Feature<typeof keysContract> {
  return {
    handlers: {
      revoke: ({ profile }) => monitor.withProfile(profile, (session) => session.revoke()),
      tryNow: ({ profile }) => {
        readAgain()
        return monitor.withProfile(profile, (session) => {
          session.tryNow()
          return { ok: true }
        })
      },
      disconnect: ({ profile }) => monitor.disconnect(profile),
      ...ofFolder,
    },
  }
}
