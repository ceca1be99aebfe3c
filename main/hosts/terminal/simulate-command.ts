import type { SimulatorFlags } from '../../simulator/options.ts'
import { problemWith, withDefaults } from '../../simulator/options.ts'
import { portTaken } from '../argument-error.ts'
import type { SimulateFlags } from './flags.ts'
import { EXIT_OK, EXIT_PERSON_NEEDED, EXIT_USAGE, failWith, type Terminal } from './terminal.ts'

export interface SimulateDeps {
  readonly terminal: Terminal
  start(options: SimulatorFlags, port: number): Promise<{ readonly origin: string; close(): Promise<void> }>
}

/**
 * The environment variable with the secret of the control surface. Setting it turns the surface on, and each
 * request to the surface must contain the secret. A flag would show the secret to every user of the machine.
 */
export const CONTROL_SECRET = 'HEADROOM_SIMULATOR_CONTROL'
const MIN_SECRET = 16

/** One line if the secret of the control surface is too short. Otherwise `undefined`. */
export function secretProblem(secret: string | undefined): string | undefined {
  if (secret === undefined || secret === '' || secret.length >= MIN_SECRET) return undefined
  return `${CONTROL_SECRET} needs at least ${MIN_SECRET} characters`
}

/** Runs the simulator until stopped. */
export async function simulate(flags: SimulateFlags, { terminal, start }: SimulateDeps): Promise<number> {
  const controlSecret = terminal.environment[CONTROL_SECRET]
  const options = { ...simulatorOptions(flags), ...(controlSecret && { controlSecret }) }
  const problem = problemWith(options)
  if (problem !== undefined) return failWith(terminal, problem, EXIT_USAGE)
  const weakness = secretProblem(controlSecret)
  if (weakness !== undefined) return failWith(terminal, weakness, EXIT_PERSON_NEEDED)
  const stopped = new Promise<void>((resolve) => terminal.onStop(resolve))
  try {
    const simulator = await start(options, flags.port)
    terminal.out(`simulator ready: ${simulator.origin}`)
    if (controlSecret) terminal.error('control surface: /control, with the header X-Simulator-Control')
    await stopped
    await simulator.close()
    return EXIT_OK
  } catch (error) {
    const line = portTaken(error, flags.port)
    if (line === undefined) throw error
    return failWith(terminal, line)
  }
}

/** Converts the flags to simulator options. Omitted flags keep their defaults. */
export function simulatorOptions({ port: _, fault = [], traffic, ...flags }: SimulateFlags): SimulatorFlags {
  const { refreshExpiry, rotationOverlap, absoluteLifetime, accessLifetime, heartbeat, ...same } = flags
  return withDefaults({
    ...same,
    trade: flags.trade === true,
    refreshExpirySeconds: refreshExpiry,
    rotationOverlapSeconds: rotationOverlap,
    absoluteLifetimeSeconds: absoluteLifetime,
    accessLifetimeSeconds: accessLifetime,
    heartbeatSeconds: heartbeat,
    traffic: traffic?.steady ?? {},
    neighbours: traffic?.bursts ?? [],
    faults: fault,
  })
}
