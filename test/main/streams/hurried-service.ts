import { onTestFinished } from 'vitest'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import type { StreamSummary } from '../../../app/contract/snapshot.ts'
import type { StreamRequest } from '../../../app/service/stream-kinds.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { nodeHttp } from '../../../main/network/http-client.ts'
import type { Clock } from '../../../main/ports/ports.ts'
import type { SimulatorFlags } from '../../../main/simulator/options.ts'
import { startSimulatorServer } from '../../../main/simulator/server.ts'
import { simulatedKey } from '../example-key.ts'
import { servicePorts } from '../skipping-clock.ts'

/**
 * This many seconds pass in one second, for the monitor and for the service. Sockets keep their real speed.
 */
const HURRY = 20
const PROFILE = 'key'

function hurriedClock(): Clock {
  const startMs = Date.now()
  const passedMs = () => performance.now() * HURRY
  const from = passedMs()
  return {
    wallMs: () => startMs + passedMs() - from,
    monotonicMs: passedMs,
    after: (ms, run) => {
      const timer = setTimeout(run, Math.max(0, ms) / HURRY)
      return () => clearTimeout(timer)
    },
  }
}

/**
 * The whole monitor and the simulated service over loopback sockets, by default twenty seconds to
 * the second.
 */
export async function hurriedService(
  options: Partial<SimulatorFlags>,
  streams: readonly StreamRequest[],
  clock = hurriedClock(),
) {
  const random = { next: () => Math.random() }
  const simulator = await startSimulatorServer(options, servicePorts(clock))
  const monitor = new Monitor({ clock, random, http: nodeHttp({}), log: { note: () => {} } })
  onTestFinished(async () => {
    monitor.stop()
    await simulator.close()
  })
  const events: (LoggedEvent & { readonly heardAtMs: number })[] = []
  monitor.subscribe({
    changed: () => {},
    event: (event) => void events.push({ ...event, heardAtMs: clock.wallMs() }),
    removed: () => {},
  })
  const probes = { budgetFraction: 0, everySeconds: {} }
  monitor.connect(simulatedKey(simulator.origin, { id: PROFILE, environment: 'custom', probes, streams }))
  const summaries = (): readonly StreamSummary[] => monitor.snapshot(PROFILE)?.streams ?? []
  return {
    clock,
    simulator,
    monitor,
    events,
    summaries,
    profile: PROFILE,
    count: (kind: LoggedEvent['kind']) => events.filter((event) => event.kind === kind).length,
  }
}
