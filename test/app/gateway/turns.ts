import type { ProgramClass } from '../../../app/contract/programs.ts'
import type { Forecast, OthersRates } from '../../../app/gateway/bucket-queue.ts'
import { Scheduler } from '../../../app/gateway/scheduler.ts'
import { chanceFrom } from '../quota/chance.ts'
import { ReferenceService, type Rule } from '../quota/reference-service.ts'
import { type Arrival, type Told, toldOf, VirtualDoor } from './virtual-door.ts'

/**
 * Demand as shares of the refill. `share` is the scanner's, the other fields are the demand of its
 * neighbours.
 */
export interface Mix {
  readonly critical: number
  /** Two programs of the scanner's class share it. */
  readonly rivals: number
  /** Programs that the gateway does not see. */
  readonly unseen: number
  readonly share: number
}

/** The demand of the scanner, which is too high, and of the programs next to it. */
export const MIXES = {
  'no other': { critical: 0, rivals: 0, unseen: 0, share: 1.5 },
  'critical ones': { critical: 0.4, rivals: 0, unseen: 0, share: 1.5 },
  'ones of its class': { critical: 0, rivals: 0.4, unseen: 0, share: 1.5 },
  both: { critical: 0.3, rivals: 0.3, unseen: 0, share: 2 },
  'ones that are not seen': { critical: 0, rivals: 0, unseen: 0.3, share: 1.5 },
  'all of them': { critical: 0.2, rivals: 0.2, unseen: 0.2, share: 2 },
} as const satisfies Readonly<Record<string, Mix>>
export type MixName = keyof typeof MIXES

const RULE: Rule = { limit: 320, periodSeconds: 300, window: 'rolling' }
const REFILL_MS = (RULE.periodSeconds * 1000) / RULE.limit
const SCANNER = 'scanner'
const RIVALS = ['notes', 'sheet'] as const
const MAX_TRIP_MS = 80
const CALLER_WAIT_MS = { scanner: 60_000, others: 30_000 } as const
const ENDS_AT_MS = 1_200_000

/** Counts of the scanner's requests. */
export interface Turns {
  readonly all: number
  readonly refused: number
  /** Refused, although a later request was sent before the refused request would have given up. */
  readonly wrong: number
  /** Refused after it had waited. */
  readonly inVain: number
  /** Sum of the waits of these requests, each as a share of its maximum wait. */
  readonly vainShare: number
}

export const NO_TURNS: Turns = { all: 0, refused: 0, wrong: 0, inVain: 0, vainShare: 0 }

export const turnsTogether = (one: Turns, other: Turns): Turns => ({
  all: one.all + other.all,
  refused: one.refused + other.refused,
  wrong: one.wrong + other.wrong,
  inVain: one.inVain + other.inVain,
  vainShare: one.vainShare + other.vainShare,
})

/** The true rates of others, for a rule that need not learn them. */
export const trueRatesOf = ({ critical, rivals, unseen }: Mix): OthersRates => ({
  perMs: (own) => (own === 'critical' ? critical / REFILL_MS : 0),
  programsOf: (own) =>
    own === 'background' && rivals > 0
      ? RIVALS.map((program) => ({ program, weight: 1, perMs: rivals / RIVALS.length / REFILL_MS }))
      : [],
  unseenPerMs: unseen / REFILL_MS,
})

/** Twenty minutes of a scanner and others, in virtual time; the same for one seed. */
export function turnsOf(mix: Mix, seed: number, forecast: Forecast = {}): Turns {
  const chance = chanceFrom(seed)
  const trip = () => Math.floor(chance() * MAX_TRIP_MS)
  const scheduler = new Scheduler(() => ({}), forecast)
  const door = new VirtualDoor(
    new ReferenceService(RULE, RULE.limit, 0),
    () => ({ upMs: trip(), downMs: trip() }),
    scheduler,
  )
  door.meet()
  const flow = (share: number, one: () => Omit<Arrival, 'atMs'>) => {
    if (share === 0) return
    for (let atMs = 1; atMs < ENDS_AT_MS; atMs += (-Math.log(1 - chance()) * REFILL_MS) / share)
      door.arrive({ ...one(), atMs: Math.floor(atMs) })
  }
  const program = (name: string, own: ProgramClass, maxWaitMs: () => number) => () => ({
    ...{ program: name, class: own, weight: 1, maxWaitMs: maxWaitMs() },
  })
  flow(
    mix.share,
    program(SCANNER, 'background', () => chance() * CALLER_WAIT_MS.scanner),
  )
  flow(
    mix.critical,
    program('bot', 'critical', () => CALLER_WAIT_MS.others),
  )
  for (const name of RIVALS)
    flow(
      mix.rivals / RIVALS.length,
      program(name, 'background', () => CALLER_WAIT_MS.others),
    )
  for (let atMs = 0; mix.unseen > 0 && atMs < ENDS_AT_MS; ) {
    atMs += (-Math.log(1 - chance()) * REFILL_MS) / mix.unseen
    door.burst(Math.floor(atMs), 1)
  }
  door.run()
  const told = toldOf(door).filter(({ arrival }) => arrival.program === SCANNER)
  const refused = told.filter(({ end }) => end === 'refuse')
  const inVain = refused.filter(({ endedAtMs, arrival }) => endedAtMs > arrival.atMs)
  return {
    all: told.length,
    refused: refused.length,
    wrong: wronglyRefused(told).length,
    inVain: inVain.length,
    vainShare: inVain.reduce(
      (sum, { endedAtMs, arrival }) => sum + Math.min(1, (endedAtMs - arrival.atMs) / arrival.maxWaitMs),
      0,
    ),
  }
}

/**
 * Requests of one program that were refused at once, although a later request was sent before they would have
 * given up.
 */
export function wronglyRefused(told: readonly Told[], byMs = 2): readonly Told[] {
  let soonestMs = Number.POSITIVE_INFINITY
  const wrong: Told[] = []
  for (const one of told.toReversed()) {
    const { arrival, end, endedAtMs, sentAtMs } = one
    if (
      end === 'refuse' &&
      endedAtMs < arrival.atMs + arrival.maxWaitMs &&
      soonestMs <= arrival.atMs + arrival.maxWaitMs - byMs
    )
      wrong.push(one)
    soonestMs = Math.min(soonestMs, sentAtMs[0] ?? Number.POSITIVE_INFINITY)
  }
  return wrong
}
