import type { Monitor } from '../monitor/monitor.ts'
import { type Past, type Profile, SIMULATOR_PROBES } from '../ports/profile.ts'
import { BUILT_IN_OPTIONS } from '../simulator/options.ts'
import { pastOf } from '../simulator/past.ts'
import { startSimulatorServer } from '../simulator/server.ts'

interface DemonstrationDeps {
  readonly monitor: Monitor
  readonly asChosen: (profile: Profile) => Profile
  readonly mayTrade: () => boolean
  readonly isWanted: () => boolean
  readonly controlSecret?: string
}

/**
 * Runs the built-in simulator while no key is stored or connected, so that a first start shows live data.
 *
 * Each `start` creates a new simulator. An earlier simulator can't be reused, because it has replaced its
 * refresh token, and the profile still contains the old token.
 */
export class Demonstration {
  readonly #deps: DemonstrationDeps
  #running: BuiltIn | undefined
  #stopped = false

  constructor(deps: DemonstrationDeps) {
    this.#deps = deps
  }

  async start(): Promise<void> {
    const { monitor, asChosen, mayTrade, controlSecret } = this.#deps
    if (!this.#isNeeded()) return
    await this.#running?.close()
    this.#running = undefined
    const builtIn = await startBuiltIn(controlSecret, mayTrade())
    if (!this.#isNeeded()) return builtIn.close()
    this.#running = builtIn
    monitor.connect(asChosen(builtIn.profile))
    monitor.recordPast(builtIn.profile.id, builtIn.past)
  }

  /** Stops the demonstration when a real key replaces it. */
  end(): void {
    if (this.#running === undefined) return
    this.#deps.monitor.disconnect(this.#running.profile.id)
    void this.#running.close()
    this.#running = undefined
  }

  isShown(profile: string): boolean {
    return this.#running?.profile.id === profile
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running?.close()
  }

  #isNeeded(): boolean {
    const { monitor, isWanted } = this.#deps
    return !this.#stopped && isWanted() && monitor.profiles().length === 0
  }
}

/** The simulator in this process, on a loopback port, with its profile. */
export interface BuiltIn {
  readonly profile: Profile
  /** The simulated data from the fifteen minutes before the start. */
  readonly past: Past
  close(): Promise<void>
}

/** Length of the built-in simulator's initial history, in milliseconds. It fills the shortest chart. */
const PAST_MS = 15 * 60_000

/**
 * Starts the built-in simulator on a free loopback port, with a control surface if `controlSecret` is given.
 */
export async function startBuiltIn(controlSecret?: string, trade = false): Promise<BuiltIn> {
  const simulator = await startSimulatorServer({
    ...BUILT_IN_OPTIONS,
    trade,
    ...(controlSecret !== undefined && { controlSecret }),
  })
  const { clientId, clientSecret, refreshToken } = BUILT_IN_OPTIONS
  const nowMs = simulator.service.nowMs()
  return {
    past: pastOf(simulator.service.quotas, nowMs - PAST_MS, nowMs),
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
