import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import type { Notify } from '../../ports/notify.ts'
import type { Power } from '../../ports/power.ts'

export interface RotatingKeysDeps {
  readonly monitor: Pick<MonitorSurface, 'profiles' | 'snapshot' | 'subscribe'>
  readonly power: Pick<Power, 'keepAwake' | 'onSuspend'>
  readonly notify: Notify
  /** As a person reads a clock: `14:32`. */
  readonly clockText: (atMs: number) => string
}

export interface RotatingKeys {
  /** What a person chose. */
  setKeepAwake(wanted: boolean): void
  close(): void
}

/**
 * What a key whose refresh token rotates asks of the machine (service 8.4): a token that is not refreshed for its
 * half hour may be refused, and a machine that sleeps refreshes nothing.
 *
 * So the machine is kept awake where a person chose that, for as long as such a key is connected; a lid that is closed
 * all the same is warned about.
 */
export function followRotatingKeys({ monitor, power, notify, clockText }: RotatingKeysDeps): RotatingKeys {
  let wanted = false
  const deadlines = () =>
    monitor.profiles().flatMap((profile) => {
      const refresh = monitor.snapshot(profile)?.refresh
      const lives = refresh?.state === 'valid' || refresh?.state === 'unconfirmed'
      return lives && refresh.rotatesBy !== undefined && !isSimulated(profile) ? [refresh.rotatesBy] : []
    })
  const isSimulated = (profile: string) => monitor.snapshot(profile)?.profile.environment === 'simulator'
  const decide = () => power.keepAwake(wanted && deadlines().length > 0)
  const leave = monitor.subscribe({
    changed: () => {},
    // Each of these may begin or end a rotating key's life; nothing else does.
    event: ({ kind }) => {
      if (kind === 'token-refreshed' || kind === 'sign-in-required' || kind === 'revoked') decide()
    },
    removed: decide,
  })
  const stopListening = power.onSuspend(() => {
    const [soonest] = deadlines().sort((one, other) => one - other)
    if (soonest === undefined) return
    notify({
      title: 'A key that rotates is connected',
      body: `If this computer sleeps past ${clockText(soonest)}, you may have to sign in again.`,
      tag: 'sleep',
      isUrgent: false,
    })
  })
  return {
    setKeepAwake: (next) => {
      wanted = next
      decide()
    },
    close: () => {
      leave()
      stopListening()
      power.keepAwake(false)
    },
  }
}
