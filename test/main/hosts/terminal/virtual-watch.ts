import type { Snapshot } from '../../../../app/contract/snapshot.ts'
import type { WatchFlags } from '../../../../main/hosts/terminal/flags.ts'
import { watch } from '../../../../main/hosts/terminal/watch-command.ts'
import { Monitor } from '../../../../main/monitor/monitor.ts'
import { SimulatedService } from '../../../../main/simulator/simulated-service.ts'
import { THREE_STREAMS } from '../../../simulation/story.ts'
import { VirtualClock } from '../../../simulation/virtual-clock.ts'
import { VirtualHttp } from '../../../simulation/virtual-http.ts'
import { CREDENTIALS, KEY } from '../../../simulation/virtual-key.ts'
import { VirtualRandom } from '../../../simulation/virtual-random.ts'
import { fakeTerminal } from './fake-terminal.ts'
import { NO_WATCH_DEPS } from './no-watch-deps.ts'

export interface VirtualWatch {
  readonly lines: readonly string[]
  /** What the monitor knew at the end. */
  readonly last: Snapshot
}

/**
 * `headroom watch` for this many virtual seconds, on a key that others use. Some faults of the service occur
 * meanwhile.
 */
export async function virtualWatch(flags: WatchFlags & { readonly for: number }): Promise<VirtualWatch> {
  const clock = new VirtualClock()
  const random = new VirtualRandom(19)
  const service = new SimulatedService(
    {
      ...CREDENTIALS,
      keys: 'rotating',
      streamRate: 0.5,
      accessLifetimeSeconds: 240,
      traffic: { Positions: 1.3, Accounts: 0.4, 'Option Expirations': 2 },
      slotsElsewhere: { 'Order Stream': 3 },
      seed: 19,
    },
    { nowMs: () => clock.worldMs(), random: () => random.next() },
  )
  service.faults.set('goaway-v3', 2)
  const http = new VirtualHttp(service, clock, random.fork())
  const terminal = fakeTerminal({
    environment: {
      HEADROOM_REFRESH_TOKEN: CREDENTIALS.refreshToken,
      HEADROOM_CLIENT_SECRET: CREDENTIALS.clientSecret,
    },
  })
  const monitor = new Monitor({ clock, random: random.fork(), http, log: { note: () => {} } })
  const run = watch(
    { authUrl: KEY.authUrl, baseUrl: KEY.baseUrl, clientId: KEY.clientId, stream: THREE_STREAMS, ...flags },
    { ...NO_WATCH_DEPS, terminal, clock, createMonitor: () => monitor },
  )
  const seconds = flags.for
  await clock.advance(seconds * 600)
  service.faults.set('refresh-503', 1)
  const last = monitor.snapshot('watched')
  await clock.advance(seconds * 400 + 1)
  if ((await run) !== 0 || last === undefined) throw new Error(terminal.errors.join('\n'))
  return { lines: terminal.lines, last }
}
