import type { Hello } from '../app/contract/contract.ts'
import { connectKey } from './connect-key.ts'
import { Monitor, type MonitorPorts, type MonitorSurface } from './monitor.ts'
import { type Profile, SIMULATOR_PROBES } from './profile.ts'
import { BUILT_IN_OPTIONS } from './simulator/built-in.ts'
import { startSimulator } from './simulator/server.ts'
import { openWindows, type Windows } from './windows.ts'

export interface AppDeps {
  /** Held by the caller: one owner at a time (main/data/lock.ts). */
  readonly dataFolder: string
  readonly ports: MonitorPorts
  /** What a window is told about the host that shows it. */
  readonly hello: Hello
}

export interface RunningApp {
  readonly monitor: MonitorSurface
  readonly windows: Windows
  stop(): Promise<void>
}

/** What every host with a window starts, whatever shows the window. */
export async function startApp({ ports, hello }: AppDeps): Promise<RunningApp> {
  const monitor = new Monitor(ports)
  const demonstration = new Demonstration(monitor)
  await demonstration.start()
  const unsubscribe = monitor.subscribe({
    changed: () => {},
    event: () => {},
    removed: () => {
      demonstration.start().catch((error: unknown) => {
        ports.log.note('the built-in simulator could not be started', { cause: error })
      })
    },
  })
  const windows = openWindows({
    monitor,
    clock: ports.clock,
    hello: () => hello,
    connect: (request) => {
      const outcome = connectKey(monitor, request)
      if (outcome.ok) demonstration.end()
      return outcome
    },
  })
  return {
    monitor,
    windows,
    stop: async () => {
      unsubscribe()
      monitor.stop()
      await demonstration.stop()
    },
  }
}

/**
 * With no key connected, the built-in simulator is: a first start shows live data, and so does the moment
 * after the last key was forgotten. A fresh one each time, because its key rotates its token.
 */
class Demonstration {
  readonly #monitor: MonitorSurface
  #running: BuiltIn | undefined
  #stopped = false

  constructor(monitor: MonitorSurface) {
    this.#monitor = monitor
  }

  async start(): Promise<void> {
    if (!this.#isNeeded()) return
    await this.#running?.close()
    this.#running = undefined
    const builtIn = await startBuiltIn()
    if (!this.#isNeeded()) return builtIn.close()
    this.#running = builtIn
    this.#monitor.connect(builtIn.profile)
  }

  /** A real key takes its place. */
  end(): void {
    if (this.#running === undefined) return
    this.#monitor.disconnect(this.#running.profile.id)
    void this.#running.close()
    this.#running = undefined
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running?.close()
  }

  #isNeeded(): boolean {
    return !this.#stopped && this.#monitor.profiles().length === 0
  }
}

/** The simulator inside this process, on a loopback port of its own, as a profile. */
export interface BuiltIn {
  readonly profile: Profile
  close(): Promise<void>
}

export async function startBuiltIn(): Promise<BuiltIn> {
  const simulator = await startSimulator(BUILT_IN_OPTIONS)
  const { clientId, clientSecret, refreshToken } = BUILT_IN_OPTIONS
  return {
    profile: {
      id: 'simulator',
      name: 'Built-in simulator',
      environment: 'simulator',
      authUrl: simulator.origin,
      baseUrl: simulator.origin,
      clientId,
      ...(clientSecret !== undefined && { clientSecret }),
      refreshToken,
      probes: SIMULATOR_PROBES,
      streams: [
        { kind: 'positions', target: 'SIM1001', options: {} },
        { kind: 'orders', target: 'SIM1001', options: {} },
        { kind: 'quotes', target: 'MSFT,AAPL', options: {} },
      ],
    },
    close: () => simulator.close(),
  }
}
