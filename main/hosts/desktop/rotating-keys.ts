import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import type { Notify } from '../../ports/ports.ts'
import type { Power } from './electron-power.ts'

export interface RotatingKeysDeps {
  readonly monitor: Pick<MonitorSurface, 'profiles' | 'snapshot' | 'subscribe'>
  readonly power: Power
  readonly notify: Notify
  /** Formats a time of day, such as `14:32`. */
  readonly clockText: (atMs: number) => string
}

/**
 * Keeps the machine awake while a key with a rotating refresh token is connected, if the person has chosen
 * this.
 *
 * A token that is not refreshed may be rejected after half an hour (service 8.4), and a sleeping machine does
 * not refresh. If the machine sleeps anyway, for example after the lid is closed, the person gets a warning.
 */
export function followRotatingKeys({ monitor, power, notify, clockText }: RotatingKeysDeps) {
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
    // Only these events can add or end a rotating key.
    event: ({ kind }) => {
      if (kind === 'token-refreshed' || kind === 'sign-in-required' || kind === 'revoked') decide()
    },
    removed: decide,
  })
  const stopListening = power.on('suspend', () => {
    const [soonest] = deadlines().sort((one, other) => one - other)
    if (soonest === undefined) return
    notify({
      title: 'A rotating key is connected',
      body: `If this computer sleeps past ${clockText(soonest)}, you may have to sign in again.`,
      tag: 'sleep',
      isUrgent: false,
    })
  })
  return {
    /** Applies the person's choice. */
    setKeepAwake: (next: boolean) => {
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
