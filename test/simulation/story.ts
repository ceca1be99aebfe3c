import type { StreamRequest } from '../../app/service/stream-kinds.ts'
import type { SimulatorFlags } from '../../main/simulator/options.ts'
import { CRASH_STEPS, type CrashStep, REVOCATION_STEPS } from './crash-steps.ts'
import { FAIR, type FaultProfile, OFFLINE, ROUGH, STORM } from './fault-profile.ts'
import type { DiskHealth } from './virtual-disk.ts'
import { VirtualRandom } from './virtual-random.ts'

/** Something that happens to the machine, the network, the service or the user at one moment. */
export type StoryEvent =
  | { readonly kind: 'fault-profile'; readonly faultProfile: FaultProfile }
  | { readonly kind: 'fault'; readonly name: string; readonly on: boolean | number }
  | { readonly kind: 'sleep'; readonly ms: number }
  | { readonly kind: 'wall-jump'; readonly ms: number }
  | { readonly kind: 'traffic'; readonly traffic: Readonly<Record<string, number>> }
  | { readonly kind: 'cut-streams' }
  | { readonly kind: 'expire-access' }
  | { readonly kind: 'disk'; readonly health: DiskHealth }
  /** The process dies when it next reaches this step, and is started again `downMs` later. */
  | { readonly kind: 'crash'; readonly step: CrashStep; readonly downMs: number }
  | { readonly kind: 'quit'; readonly downMs: number }
  | UserAction

/** Actions that need a running app. */
export type UserAction =
  | { readonly kind: 'open-stream'; readonly request: StreamRequest }
  | { readonly kind: 'close-stream' }
  | { readonly kind: 'try-now' }
  | { readonly kind: 'revoke' }
  /** Only if a sign-in is needed. */
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'dismiss-alert' }

export interface Story {
  readonly service: Partial<SimulatorFlags>
  readonly streams: readonly StreamRequest[]
  readonly budgetFraction: number
  readonly faultProfile: FaultProfile
  readonly events: readonly { readonly atMs: number; readonly what: StoryEvent }[]
}

const stream = (kind: StreamRequest['kind'], target: string): StreamRequest => ({ kind, target, options: {} })

export const THREE_STREAMS: readonly StreamRequest[] = [
  stream('positions', 'SIM1001'),
  stream('orders', 'SIM1001'),
  stream('quotes', 'MSFT,AAPL'),
]

const MORE_STREAMS: readonly StreamRequest[] = [
  stream('depth', 'MSFT'),
  stream('barcharts', 'MSFT'),
  stream('positions', 'SIM1002'),
  stream('option-chains', 'MSFT'),
  stream('quotes', 'NOPE,MSFT'),
]

const HOUR_MS = 3_600_000

/** No faults and no other users of the key. In this case, the arithmetic is exact. */
export const QUIET: Story = {
  service: { keys: 'rotating', rotationOverlapSeconds: 30, streamRate: 0.2 },
  streams: THREE_STREAMS,
  budgetFraction: 0.02,
  faultProfile: FAIR,
  events: [],
}

/**
 * One key's day, determined by a seed: the kind of key, the actions of others, and the faults with their
 * times.
 */
export function storyOf(seed: number, hours: number): Story {
  const random = new VirtualRandom(seed)
  const rotating = random.chance(0.6)
  const alone = random.chance(0.4)
  const service: Partial<SimulatorFlags> = {
    keys: rotating ? 'rotating' : 'default',
    rotationOverlapSeconds: random.pick([0, 5, 30]),
    absoluteLifetimeSeconds: random.chance(0.2) ? 5_400 : 86_400,
    accessLifetimeSeconds: random.pick([1200, 1200, 90]),
    reuseEndsSignIn: random.chance(0.2),
    window: random.chance(0.8) ? 'rolling' : 'fixed',
    table: random.chance(0.8) ? 'current' : 'earlier',
    errors: random.chance(0.8) ? 'current' : 'legacy',
    revokeField: random.pick(['token', 'refresh_token', 'either']),
    arrivals: random.pick(['even', 'poisson']),
    streamRate: random.pick([0, 0.2, 1]),
    traffic: alone ? {} : trafficOf(random),
    slotsElsewhere: random.chance(0.5) ? { 'Positions Stream': random.pick([2, 38, 40]) } : {},
    slotLimits: random.chance(0.3) ? { 'Order Stream': 2 } : {},
    seed,
  }
  const events: { atMs: number; what: StoryEvent }[] = []
  const count = Math.ceil(hours * 8)
  for (let step = 0; step < count; step += 1) {
    const atMs = random.between(60_000, hours * HOUR_MS)
    events.push(...eventsOf(random, alone).map((what, i) => ({ atMs: atMs + i * lengthMs(random), what })))
  }
  for (let atMs = 0; atMs < hours * HOUR_MS; atMs += random.between(600_000, 3_600_000)) {
    events.push({ atMs, what: { kind: 'sign-in' } })
  }
  events.sort((a, b) => a.atMs - b.atMs)
  return {
    service,
    streams: THREE_STREAMS,
    budgetFraction: random.pick([0.02, 0.02, 0.05]),
    faultProfile: random.chance(0.5) ? FAIR : roughFor(alone),
    events,
  }
}

const lengthMs = (random: VirtualRandom): number => random.pick([700, 8_000, 45_000, 200_000, 900_000])

const trafficOf = (random: VirtualRandom): Record<string, number> => ({
  Positions: random.pick([0.1, 0.9, 1.5]),
  Accounts: random.pick([0, 0.3, 2]),
  'MarketDepth Stream': random.pick([0, 0.4]),
})

/** One event, and the event that ends it if necessary. */
function eventsOf(random: VirtualRandom, alone: boolean): readonly StoryEvent[] {
  const fault = (name: string): readonly StoryEvent[] => [
    { kind: 'fault', name, on: true },
    { kind: 'fault', name, on: false },
  ]
  switch (Math.floor(random.next() * 20)) {
    case 0:
      return [
        { kind: 'fault-profile', faultProfile: OFFLINE },
        { kind: 'fault-profile', faultProfile: random.chance(0.5) ? FAIR : roughFor(alone) },
      ]
    case 1:
      return [
        { kind: 'fault-profile', faultProfile: roughFor(alone) },
        { kind: 'fault-profile', faultProfile: FAIR },
      ]
    case 2:
      return [{ kind: 'sleep', ms: random.pick([1_000, 40_000, 600_000, 5_400_000]) }]
    case 3:
      return [{ kind: 'wall-jump', ms: random.pick([-86_400_000, -5_000, 5_000, 1_800_000]) }]
    case 4:
      return alone ? [] : [{ kind: 'traffic', traffic: trafficOf(random) }]
    case 5:
      return [{ kind: 'cut-streams' }]
    case 6:
      return [{ kind: 'open-stream', request: random.pick(MORE_STREAMS) }]
    case 7:
      return [{ kind: 'close-stream' }]
    case 8:
      return [{ kind: 'expire-access' }]
    case 9:
      return [{ kind: 'try-now' }]
    case 10:
      return fault(random.pick(['silent-stream', 'goaway-v2', 'goaway-v3', 'stream-error', 'stream-reset']))
    case 11:
      return fault(random.pick(['resources-503', 'no-quota-headers', 'slow-answers', 'split-frames']))
    case 12:
      return [
        {
          kind: 'fault',
          name: random.pick([
            'refresh-503',
            'refresh-reset',
            'html-refresh-response',
            'cut-refresh-response',
          ]),
          on: random.pick([1, 3, 20]),
        },
      ]
    case 13:
      if (alone) return []
      return [
        { kind: 'fault-profile', faultProfile: STORM },
        { kind: 'fault-profile', faultProfile: FAIR },
      ]
    case 14:
      return [
        { kind: 'disk', health: random.pick(['full', 'read-only']) },
        { kind: 'disk', health: 'ok' },
      ]
    case 15:
    case 16:
    case 17:
      return [{ kind: 'crash', step: random.pick(CRASH_STEPS), downMs: downMs(random) }]
    case 18:
      return random.pick([
        [{ kind: 'quit', downMs: downMs(random) }],
        [{ kind: 'dismiss-alert' }],
        revocation(random),
      ])
    default:
      return [{ kind: 'fault', name: random.pick(['lost-refresh-response', 'late-commit']), on: 1 }]
  }
}

/**
 * If no other program uses the key, its bounds must be exact. So no request is duplicated, because the app
 * would not know of the second one.
 */
const roughFor = (alone: boolean): FaultProfile => (alone ? { ...ROUGH, duplicated: 0 } : ROUGH)

/** Long enough for the requests of the dead process to have reached the service. */
const downMs = (random: VirtualRandom): number =>
  random.pick([3_000, 3_000, 20_000, 20_000, 120_000, 1_200_000])

/** A user revokes the key, sometimes while faults occur. */
function revocation(random: VirtualRandom): readonly StoryEvent[] {
  const trouble: readonly StoryEvent[] = random.pick<readonly StoryEvent[]>([
    [],
    [{ kind: 'fault', name: 'revoke-503', on: random.pick([1, 4]) }],
    [{ kind: 'fault', name: 'lost-revoke-response', on: 1 }],
    [{ kind: 'crash', step: random.pick(REVOCATION_STEPS), downMs: downMs(random) }],
  ])
  return [...trouble, { kind: 'revoke' }]
}
