import type { MonitorPorts, MonitorSurface } from './monitor.ts'
import { Monitor } from './monitor.ts'
import { DEFAULT_PROBES, type Profile } from './profile.ts'
import { BUILT_IN_OPTIONS } from './simulator/built-in.ts'
import { startSimulator } from './simulator/server.ts'
import { openWindows, type Windows } from './windows.ts'

export interface AppDeps {
  /** Held by the caller: one owner at a time (main/data/lock.ts). */
  readonly dataFolder: string
  readonly ports: MonitorPorts
}

export interface RunningApp {
  readonly monitor: MonitorSurface
  readonly windows: Windows
  stop(): Promise<void>
}

/**
 * What every host with a window starts, whatever shows the window.
 *
 * With no key connected, the first profile is the built-in simulator, so that a first start shows live data.
 */
export async function startApp({ ports }: AppDeps): Promise<RunningApp> {
  const builtIn = await startBuiltIn()
  const monitor = new Monitor(ports)
  monitor.connect(builtIn.profile)
  return {
    monitor,
    windows: openWindows(monitor, ports.clock),
    stop: async () => {
      monitor.stop()
      await builtIn.close()
    },
  }
}

/** The simulator inside this process, on a loopback port of its own, as a profile. */
export interface BuiltIn {
  readonly profile: Profile
  close(): Promise<void>
}

export async function startBuiltIn(): Promise<BuiltIn> {
  const simulator = await startSimulator(BUILT_IN_OPTIONS, 0)
  const { clientId, clientSecret, refreshToken } = BUILT_IN_OPTIONS
  return {
    profile: {
      id: 'simulator',
      name: 'Built-in simulator',
      environment: 'simulator',
      authUrl: simulator.url,
      baseUrl: simulator.url,
      clientId,
      ...(clientSecret !== undefined && { clientSecret }),
      refreshToken,
      probes: DEFAULT_PROBES,
      streams: [
        { kind: 'positions', target: 'SIM1001', options: {} },
        { kind: 'orders', target: 'SIM1001', options: {} },
        { kind: 'quotes', target: 'MSFT,AAPL', options: {} },
      ],
    },
    close: () => simulator.close(),
  }
}
