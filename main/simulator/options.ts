import { CURRENT_REQUEST_QUOTAS, SLOT_QUOTAS } from '../../app/service/categories.ts'
import { FAULTS } from './fault-names.ts'
import type { SimulatorOptions } from './library.ts'
import { ORDER_QUOTA } from './rules/request-quotas.ts'

/** Another program on the same key. It may alternate between work and pauses. */
export interface Neighbour {
  readonly category: string
  readonly perSecond: number
  readonly onSeconds: number
  readonly offSeconds: number
}

/** Options of a simulated key, its user and other programs: everything that varies between simulations. */
export interface SimulatorFlags extends Required<Omit<SimulatorOptions, 'port' | 'clientSecret'>> {
  /** Absent for a PKCE key, which has no secret (service 4.1). */
  readonly clientSecret?: string
  /** Age in seconds at which a rotating key's refresh token is rejected. */
  readonly refreshExpirySeconds: number
  /** Time in seconds for which a rotating key's replaced token is still accepted. */
  readonly rotationOverlapSeconds: number
  /** Lifetime in seconds of a rotating key's sign-in, regardless of refreshes. */
  readonly absoluteLifetimeSeconds: number
  /** Whether reuse of a replaced token ends the whole sign-in, as with some identity providers. */
  readonly reuseEndsSignIn: boolean
  readonly table: 'current' | 'earlier'
  /** With `legacy`, a 429 has only the headers Content-Length and Date (service 2.3). */
  readonly errors: 'current' | 'legacy'
  readonly revokeField: 'token' | 'refresh_token' | 'either'
  readonly arrivals: 'even' | 'poisson'
  readonly neighbours: readonly Neighbour[]
  /** Stream slots used by other programs, by category. */
  readonly slotsElsewhere: Readonly<Record<string, number>>
  /** The quotas and other programs' traffic begin this many seconds before the simulator starts. */
  readonly startedSecondsAgo: number
  /**
   * The secret of the control surface, sent in `X-Simulator-Control`. Without a secret, there is no control
   * surface.
   */
  readonly controlSecret?: string
}

export const DEFAULT_SIMULATOR_OPTIONS: SimulatorFlags = {
  clientId: 'sim-key',
  refreshToken: 'sim-refresh',
  trade: false,
  keys: 'default',
  refreshExpirySeconds: 1800,
  rotationOverlapSeconds: 0,
  absoluteLifetimeSeconds: 86_400,
  reuseEndsSignIn: false,
  accessLifetimeSeconds: 1200,
  table: 'current',
  window: 'rolling',
  errors: 'current',
  revokeField: 'either',
  heartbeatSeconds: 5,
  traffic: {},
  arrivals: 'even',
  neighbours: [],
  slotsElsewhere: {},
  alreadySpent: {},
  startedSecondsAgo: 0,
  limits: {},
  slotLimits: {},
  streamRate: 2,
  faults: [],
  consent: 'ask',
  seed: 1,
}

export function withDefaults(options: Partial<SimulatorFlags>): SimulatorFlags {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return { ...DEFAULT_SIMULATOR_OPTIONS, ...Object.fromEntries(given) }
}

const POSITIVE = ['refreshExpirySeconds', 'absoluteLifetimeSeconds', 'accessLifetimeSeconds'] as const
const NOT_NEGATIVE = ['rotationOverlapSeconds', 'streamRate', 'startedSecondsAgo'] as const
const MAX_PER_SECOND = 1000

/** One sentence about the first invalid option. `undefined` if all options are valid. */
export function problemWith(options: SimulatorFlags): string | undefined {
  for (const name of POSITIVE) if (!(options[name] > 0)) return `${name} must be above 0`
  for (const name of NOT_NEGATIVE) if (!(options[name] >= 0)) return `${name} must not be negative`
  if (!(options.heartbeatSeconds >= 0.05)) return 'heartbeatSeconds must be at least 0.05'
  if (options.streamRate > MAX_PER_SECOND) return `streamRate must be at most ${MAX_PER_SECOND}`
  return (
    trafficProblem(options) ??
    slotProblem(options) ??
    options.faults.map((fault) => faultProblem(fault)).find((problem) => problem !== undefined)
  )
}

function trafficProblem(options: SimulatorFlags): string | undefined {
  const rates = [
    ...Object.entries(options.traffic),
    ...options.neighbours.map(({ category, perSecond }) => [category, perSecond] as const),
  ]
  for (const [category, perSecond] of rates) {
    if (!hasRequestQuota(category, options))
      return `traffic: ${category} is not a category with a request quota`
    if (!(perSecond >= 0 && perSecond <= MAX_PER_SECOND)) {
      return `traffic: ${category} must be between 0 and ${MAX_PER_SECOND} requests per second`
    }
  }
  for (const [category, spent] of Object.entries(options.alreadySpent)) {
    if (!hasRequestQuota(category, options) || !(spent >= 0))
      return `alreadySpent: ${category} needs a request quota and a number of 0 or more`
  }
  for (const { category, onSeconds, offSeconds } of options.neighbours) {
    if (!(onSeconds > 0 && offSeconds >= 0))
      return `neighbours: ${category} needs onSeconds above 0 and offSeconds of 0 or more`
  }
  for (const [category, { limit, periodSeconds }] of Object.entries(options.limits)) {
    if (!(Number.isInteger(limit) && limit > 0 && Number.isInteger(periodSeconds) && periodSeconds > 0)) {
      return `limits: ${category} needs whole numbers above 0`
    }
  }
  return undefined
}

function slotProblem(options: SimulatorFlags): string | undefined {
  const counts = [...Object.entries(options.slotsElsewhere), ...Object.entries(options.slotLimits)]
  for (const [category, count] of counts) {
    if (
      !SLOT_QUOTAS.some((quota) => quota.category === category) &&
      options.slotLimits[category] === undefined
    ) {
      return `slots: ${category} is not a category with stream slots`
    }
    if (!(Number.isInteger(count) && count >= 0)) return `slots: ${category} needs a whole number`
  }
  return undefined
}

/** One sentence if `fault` is not `NAME`, `NAME:TIMES` or `NAME:always`. Otherwise `undefined`. */
export function faultProblem(fault: string): string | undefined {
  const [name, times, ...more] = fault.split(':')
  if (!FAULTS.some((known) => known.name === name)) return `no fault is called ${name}`
  const readable = times === undefined || times === 'always' || /^[1-9]\d{0,5}$/.test(times)
  return readable && more.length === 0 ? undefined : `${fault}: write ${name}:TIMES or ${name}:always`
}

const hasRequestQuota = (category: string, options: SimulatorFlags): boolean =>
  options.limits[category] !== undefined ||
  category === ORDER_QUOTA.category ||
  CURRENT_REQUEST_QUOTAS.some((quota) => quota.category === category)

/**
 * In the built-in simulator, the other program uses Positions for `onSeconds`, then pauses for `offSeconds`.
 */
const SPELL = { onSeconds: 195, offSeconds: 285 } as const

/**
 * The options of the built-in simulator: a rotating key that another program uses too.
 *
 * The other program sends 2.4 requests per second to Positions, which refills about 1.1 per second. It stops
 * when most of the quota is used, and continues when the quota has refilled. So a forecast, a warning and a
 * recovery occur every eight minutes.
 *
 * The other program starts two rounds before the simulator does. In the first round, part of the quota was
 * already used, so the round ended in a 429. The third round begins when the simulator starts.
 */
export const BUILT_IN_OPTIONS: SimulatorFlags = {
  ...DEFAULT_SIMULATOR_OPTIONS,
  keys: 'rotating',
  rotationOverlapSeconds: 30,
  arrivals: 'poisson',
  // One message per second is enough to show that a stream is alive. Every frame costs some work, even in a
  // hidden window.
  streamRate: 1,
  neighbours: [
    { category: 'Positions', perSecond: 2.4, onSeconds: SPELL.onSeconds, offSeconds: SPELL.offSeconds },
    { category: 'Order Details', perSecond: 0.2, onSeconds: 3600, offSeconds: 0 },
    { category: 'Balances', perSecond: 0.5, onSeconds: 90, offSeconds: 150 },
    { category: 'Quote Snapshot', perSecond: 1.1, onSeconds: 240, offSeconds: 60 },
    { category: 'Option Expirations', perSecond: 1.3, onSeconds: 25, offSeconds: 95 },
  ],
  startedSecondsAgo: 2 * (SPELL.onSeconds + SPELL.offSeconds),
  alreadySpent: { Positions: 150, 'Order Details': 22, 'Quote Snapshot': 60, Balances: 18 },
  slotsElsewhere: { 'Positions Stream': 2, 'MarketDepth Stream': 6 },
}
