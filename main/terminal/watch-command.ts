import type { LoggedEvent } from '../../app/contract/events.ts'
import type { BuiltIn } from '../app-start.ts'
import type { MonitorSurface } from '../monitor.ts'
import type { Clock } from '../ports/ports.ts'
import { DEFAULT_PROBES, type Profile } from '../profile.ts'
import { Publisher } from '../publisher.ts'
import type { WatchFlags } from './flags.ts'
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, type Terminal } from './terminal.ts'
import { watchView } from './watch-view.ts'
import { type ServiceKey, watchedService } from './watched-service.ts'

/** A snapshot is due every second although nothing changed; a timer that is a little late must not miss that. */
const REPEAT_AFTER_MS = 900

export interface WatchDeps {
  readonly terminal: Terminal
  readonly clock: Clock
  createMonitor(): MonitorSurface
  startBuiltIn(): Promise<BuiltIn>
}

/** The monitor without a window. Being offline is not a reason to end; having nobody signed in is. */
export async function watch(flags: WatchFlags, deps: WatchDeps): Promise<number> {
  const { terminal } = deps
  const service = watchedService(flags, terminal.environment)
  switch (service.kind) {
    case 'usage':
      terminal.error(service.line)
      return EXIT_USAGE
    case 'misconfigured':
      terminal.error(service.line)
      return EXIT_FAILURE
    case 'key':
      return follow(profileOf(service.key, flags), flags, deps)
    case 'built-in': {
      const builtIn = await deps.startBuiltIn()
      const { profile } = builtIn
      const { probe: probes = profile.probes, stream: streams = profile.streams } = flags
      try {
        return await follow({ ...profile, probes, streams }, flags, deps)
      } finally {
        await builtIn.close()
      }
    }
  }
}

function profileOf(key: ServiceKey, { probe, stream }: WatchFlags): Profile {
  const host = new URL(key.baseUrl).host
  return {
    id: 'watched',
    name: host,
    environment: 'custom',
    ...key,
    probes: probe ?? DEFAULT_PROBES,
    streams: stream ?? [],
  }
}

async function follow(profile: Profile, flags: WatchFlags, deps: WatchDeps): Promise<number> {
  const { terminal, clock } = deps
  const monitor = deps.createMonitor()
  const view = watchView(terminal, flags.json === true)
  const publisher = new Publisher(clock, monitor.snapshot.bind(monitor), view.snapshot)
  const cancels: (() => void)[] = [() => publisher.stop(), repeat(clock, () => publisher.changed(profile.id))]
  let warned = profile.environment === 'simulator'
  const warnOfRotation = (event: LoggedEvent) => {
    if (warned || event.kind !== 'token-refreshed' || !event.rotated) return
    warned = true
    terminal.error(
      'this key rotates its refresh token: the one you gave is used up, and the new one is only in memory',
    )
  }

  const failure = await new Promise<string | undefined>((resolve) => {
    const end = () => resolve(undefined)
    cancels.push(terminal.onStop(end), terminal.onOutputClosed(end))
    if (flags.for !== undefined) cancels.push(clock.after(flags.for * 1000, end))
    const unsubscribe = monitor.subscribe({
      changed: (id) => publisher.changed(id),
      event: (event) => {
        view.event(event)
        warnOfRotation(event)
        const reason = reasonToGiveUp(event)
        if (reason !== undefined) resolve(reason)
      },
      removed: end,
    })
    cancels.push(unsubscribe)
    monitor.connect(profile)
    publisher.changed(profile.id)
  })
  // Before the listeners go: what closing the streams says is still told.
  monitor.stop()
  for (const cancel of cancels) cancel()
  view.end()
  if (failure === undefined) return EXIT_OK
  terminal.error(failure)
  return EXIT_FAILURE
}

function repeat(clock: Clock, run: () => void): () => void {
  let cancel = () => {}
  const next = () => {
    cancel = clock.after(REPEAT_AFTER_MS, () => {
      run()
      next()
    })
  }
  next()
  return () => cancel()
}

/** Only what a person has to change ends it; everything else is the monitor's to retry. */
function reasonToGiveUp(event: LoggedEvent): string | undefined {
  if (event.kind === 'sign-in-required') return `sign-in needed: ${event.reason}`
  if (event.kind === 'token-refresh-failed' && event.outcome === 'misconfigured') {
    return 'the service does not accept this client: check --client-id and HEADROOM_CLIENT_SECRET'
  }
  return undefined
}
