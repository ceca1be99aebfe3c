import type { ProgramClass } from '../../app/contract/programs.ts'
import type { Decision } from '../../app/gateway/decisions.ts'
import { Scheduler } from '../../app/gateway/scheduler.ts'
import type { RateReading } from '../../app/service/headers.ts'
import type { Rule } from '../app/quota/reference-service.ts'
import type { VirtualClock } from '../simulation/virtual-clock.ts'
import { peer } from './peers.ts'

/** Response of the service to one request. */
export interface Answered {
  readonly isAccepted: boolean
  readonly rate: Required<Omit<RateReading, 'resource'>>
}

/** A request of a program. The contestant decides when to send it. */
export interface Asked {
  readonly program: string
  readonly class: ProgramClass
  send(): Promise<Answered>
}

/** A way to share one quota among several programs. Resolves to whether the request got a response. */
export type Contestant = (asked: Asked) => Promise<boolean>

export interface Ring {
  readonly clock: VirtualClock
  readonly rule: Rule
  readonly programs: readonly string[]
  readonly chance: () => number
}

const CALLER_WAIT_MS = 300_000
const BUCKET = 'Positions'

/** The gateway's scheduler, which makes all decisions of the gateway. */
function gateway({ clock }: Ring): Contestant {
  const scheduler = new Scheduler()
  const waiting = new Map<number, { readonly asked: Asked; readonly end: (isAnswered: boolean) => void }>()
  let cancelWake = () => {}
  let id = 0
  const now = () => clock.monotonicMs()
  const apply = (decisions: readonly Decision[]) => {
    for (const decision of decisions) {
      if (decision.kind === 'send') void send(decision.upstream)
      if (decision.kind === 'refuse') end(decision.request, false)
      if (decision.kind === 'answer') end(decision.upstream, true)
    }
    cancelWake()
    const wakeAtMs = scheduler.nextWakeAtMs
    if (wakeAtMs !== undefined) cancelWake = clock.after(wakeAtMs - now(), () => apply(scheduler.due(now())))
  }
  const end = (request: number, isAnswered: boolean) => {
    waiting.get(request)?.end(isAnswered)
    waiting.delete(request)
  }
  const send = async (upstream: number) => {
    const answer = await waiting.get(upstream)?.asked.send()
    if (answer === undefined) return
    const { isAccepted, rate } = answer
    const outcome = isAccepted
      ? ({ kind: 'answer', rate } as const)
      : ({ kind: 'rate-limited', of: 'rate', rate } as const)
    apply(scheduler.answered(upstream, outcome, now()))
  }
  return (asked) =>
    new Promise((resolve) => {
      id += 1
      waiting.set(id, { asked, end: resolve })
      const { program, class: own } = asked
      const offered = { id, program, class: own, weight: 1, bucket: BUCKET, maxWaitMs: CALLER_WAIT_MS }
      apply(scheduler.offer(offered, now()))
    })
}

/** A program's own retries after a 429: waits a second, doubled each time up to a minute, with jitter. */
function withBackoff({ clock, chance }: Ring, turn: (asked: Asked) => Promise<unknown>): Contestant {
  return async (asked) => {
    const fromMs = clock.monotonicMs()
    for (let again = 0; clock.monotonicMs() - fromMs < CALLER_WAIT_MS; again += 1) {
      await turn(asked)
      const { isAccepted } = await asked.send()
      if (isAccepted) return true
      const waitMs = Math.min(60_000, 1000 * 2 ** again) * (0.5 + chance() / 2)
      await new Promise<void>((resolve) => void clock.after(waitMs, resolve))
    }
    return false
  }
}

const PRIORITIES: Readonly<Record<ProgramClass, number>> = { critical: 0, normal: 5, background: 9 }
/**
 * Bottleneck refills its reservoir at multiples of 250 ms. For 320 in 300 s, an interval of 15 s adds a whole
 * number of requests.
 */
const INCREASES_PER_PERIOD = 20

type Contestants = Readonly<Record<string, (ring: Ring) => Contestant>>

/** The gateway, and programs that do not coordinate. */
export const OWN_CONTESTANTS: Contestants = {
  Headroom: gateway,
  'each alone, with backoff': (ring) => withBackoff(ring, async () => undefined),
}

type Bottleneck = new (
  options: Readonly<Record<string, number>>,
) => { schedule(options: { readonly priority: number }, job: () => Promise<void>): Promise<void> }
type PThrottle = (options: {
  readonly limit: number
  readonly interval: number
  readonly strict: boolean
}) => (job: () => Promise<void>) => () => Promise<void>
interface Flexible {
  readonly RateLimiterMemory: new (options: { readonly points: number; readonly duration: number }) => object
  readonly RateLimiterQueue: new (
    limiter: object,
    options: { readonly maxQueueSize: number },
  ) => { removeTokens(count: number): Promise<number> }
}

/** Loads the peers; in real time, because it may have to install them. */
export function peerContestants(): Contestants {
  const Bottleneck = peer<Bottleneck>('bottleneck')
  const { default: pThrottle } = peer<{ readonly default: PThrottle }>('p-throttle')
  const { RateLimiterMemory, RateLimiterQueue } = peer<Flexible>('rate-limiter-flexible')
  return {
    bottleneck: (ring) => {
      const { limit, periodSeconds } = ring.rule
      const limiter = new Bottleneck({
        reservoir: limit,
        reservoirIncreaseAmount: limit / INCREASES_PER_PERIOD,
        reservoirIncreaseInterval: (periodSeconds * 1000) / INCREASES_PER_PERIOD,
        reservoirIncreaseMaximum: limit,
      })
      return withBackoff(ring, ({ class: own }) =>
        limiter.schedule({ priority: PRIORITIES[own] }, async () => undefined),
      )
    },
    'p-throttle': (ring) => {
      const { limit, periodSeconds } = ring.rule
      const turn = pThrottle({ limit, interval: periodSeconds * 1000, strict: true })(async () => undefined)
      return withBackoff(ring, () => turn())
    },
    'rate-limiter-flexible': (ring) => {
      const { limit: points, periodSeconds: duration } = ring.rule
      const queue = new RateLimiterQueue(new RateLimiterMemory({ points, duration }), {
        maxQueueSize: 10_000,
      })
      return withBackoff(ring, () => queue.removeTokens(1))
    },
    'the quota divided': (ring) => {
      const { limit, periodSeconds } = ring.rule
      const share = {
        limit: Math.floor(limit / ring.programs.length),
        interval: periodSeconds * 1000,
        strict: true,
      }
      const turns = new Map(ring.programs.map((name) => [name, pThrottle(share)(async () => undefined)]))
      return withBackoff(ring, async ({ program }) => turns.get(program)?.())
    },
  }
}
