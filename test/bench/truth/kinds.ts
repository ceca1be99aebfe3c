import type { RequestQuotaDefault } from '../../../app/service/categories.ts'
import type { Chance, Process } from './process.ts'
import {
  around,
  cyclic,
  diurnal,
  exponential,
  heavyTailed,
  levels,
  oneOf,
  onTimer,
  openingRamp,
  selfExciting,
  spells,
  staggered,
  steady,
  together,
  trend,
} from './processes.ts'

/** One kind of traffic on one quota. */
export interface Kind {
  readonly name: string
  /**
   * Some aims treat these apart. `bursts`: starts and stops by design; `steady`: one rate; `alone`: no
   * others.
   */
  readonly shape: 'alone' | 'steady' | 'bursts' | 'other'
  readonly limit: number
  readonly periodSeconds: number
  /** Own requests per second, as a Poisson process. */
  readonly own: number
  readonly others: Process
}

interface Listed {
  readonly name: string
  readonly shape: Kind['shape']
  /** `refill`: requests per second that the quota refills. */
  readonly others: (refill: number) => Process
}

const LISTED: readonly Listed[] = [
  { name: 'nobody else', shape: 'alone', others: () => steady(0) },
  ...[0.3, 0.9, 1.0, 1.2, 2.5].map(
    (times): Listed => ({
      name: `steady, ${times} times the refill`,
      shape: 'steady',
      others: (refill) => steady(times * refill),
    }),
  ),
  {
    name: 'bursts of two minutes of five',
    shape: 'bursts',
    others: (refill) => spells(2.4 * refill, around(120, 0.25), around(180, 0.25)),
  },
  {
    name: 'all within the first second of each minute',
    shape: 'bursts',
    others: (refill) => cyclic(0.9 * 60 * refill, 1, 60, 0),
  },
  {
    name: 'self-exciting bursts',
    shape: 'bursts',
    others: (refill) => selfExciting(0.8 * refill, 0.8, 30),
  },
  {
    name: 'a ramp as at the opening',
    shape: 'other',
    others: (refill) => openingRamp(0.2 * refill, 3 * refill, 0.5 * refill),
  },
  {
    name: 'three programs with staggered bursts',
    shape: 'bursts',
    others: (refill) => staggered(3, 1.1 * refill, 150, 300),
  },
  {
    name: 'sessions of heavy-tailed length',
    shape: 'bursts',
    others: (refill) => spells(1.8 * refill, heavyTailed(60), exponential(200)),
  },
]

const QUOTAS = [
  { limit: 320, periodSeconds: 300 },
  { limit: 90, periodSeconds: 60 },
] as const
const OWN_SHARE = 0.3

/** Every kind of the list, on quotas of 300 and of 60 seconds, without and with own traffic. */
export const listedKinds = (): readonly Kind[] =>
  LISTED.flatMap(({ name, shape, others }) =>
    QUOTAS.flatMap(({ limit, periodSeconds }) =>
      [0, OWN_SHARE].map((share): Kind => {
        const refill = limit / periodSeconds
        const own = share === 0 ? '' : ', and own'
        return {
          name: `${name}, ${limit} in ${periodSeconds} s${own}`,
          ...{ shape, limit, periodSeconds, own: share * refill, others: others(refill) },
        }
      }),
    ),
  )

/** Programs on timers, whatever the quota, and storms, in which most requests get 429. */
const TIMED: readonly { readonly name: string; readonly others: (refill: number) => Process }[] = [
  ...[0.5, 1, 4 / 3, 5].map((every) => ({
    name: `a poller every ${Number(every.toFixed(3))} s`,
    others: () => onTimer(every, 1),
  })),
  { name: 'a dashboard of three calls every 10 s', others: () => onTimer(10, 3) },
  { name: 'a scanner of 60 calls every 2 minutes', others: () => onTimer(120, 60, 15) },
  { name: 'a scanner of 150 calls every 5 minutes', others: () => onTimer(300, 150, 30) },
  { name: 'sessions of a minute in three', others: (refill) => cyclic(1.8 * refill, 60, 180) },
  ...[1.2, 4].map((times) => ({
    name: `storms of 3 minutes in 10, ${times} times the refill above a steady half`,
    others: (refill: number) => together(steady(refill / 2), cyclic(times * refill, 180, 600)),
  })),
]

/** Each of them on both quotas, without own traffic. */
export const timedKinds = (): readonly Kind[] =>
  TIMED.flatMap(({ name, others }) =>
    QUOTAS.map(({ limit, periodSeconds }): Kind => {
      const shape = 'bursts'
      const of = { shape, limit, periodSeconds, own: 0, others: others(limit / periodSeconds) } as const
      return { name: `${name}, ${limit} in ${periodSeconds} s`, ...of }
    }),
  )

/** Number `index` of `TIMED` as a kind of traffic on one quota of a key. */
export function timedKind({ category, limit, periodSeconds }: RequestQuotaDefault, index: number): Kind {
  const { name, others } = TIMED[index % TIMED.length]!
  return {
    ...{ name: `${category}, ${name}`, shape: 'bursts', limit, periodSeconds, own: 0 },
    others: others(limit / periodSeconds),
  }
}

const LIMITS = [30, 60, 90, 120, 250, 320, 500, 1000] as const
const PERIODS = [60, 120, 300, 600] as const

/** `count` kinds drawn at random, so that nothing is tuned to the list. */
export function randomKinds(count: number, chance: Chance): readonly Kind[] {
  return Array.from({ length: count }, (_, index) => {
    const [limit, periodSeconds] = [picked(LIMITS, chance), picked(PERIODS, chance)]
    const refill = limit / periodSeconds
    const { name, shape, others } = drawn(refill, chance)
    const own = chance() < 1 / 3 ? between(0.05, 0.5, chance) * refill : 0
    return {
      name: `${index + 1}: ${name}, ${limit} in ${periodSeconds} s${own > 0 ? ', and own' : ''}`,
      ...{ shape, limit, periodSeconds, own, others },
    }
  })
}

/** One kind drawn at random for each quota of a key. */
export function mixOf(
  quotas: readonly RequestQuotaDefault[],
  chance: Chance,
): readonly { readonly category: string; readonly kind: Kind }[] {
  return quotas.map(({ category, limit, periodSeconds }) => {
    const { name, shape, others } = drawn(limit / periodSeconds, chance)
    const kind: Kind = {
      ...{ name: `${category}, ${name}`, shape, limit, periodSeconds, own: 0, others },
    }
    return { category, kind }
  })
}

type Drawn = Pick<Kind, 'name' | 'shape' | 'others'>

function drawn(refill: number, chance: Chance): Drawn {
  return chance() < 0.12 ? twoAtOnce(refill, chance) : one(refill, chance)
}

function twoAtOnce(refill: number, chance: Chance): Drawn {
  const [first, second] = [one(refill / 2, chance), one(refill / 2, chance)]
  return {
    name: `${first.name} with ${second.name}`,
    shape: first.shape === 'bursts' || second.shape === 'bursts' ? 'bursts' : 'other',
    others: together(first.others, second.others),
  }
}

function one(refill: number, chance: Chance): Drawn {
  const rate = between(0.3, 4, chance) * refill
  const length = () => between(15, 900, chance)
  const FAMILIES: readonly (() => Drawn)[] = [
    () => ({
      name: 'on and off',
      shape: 'bursts',
      others: spells(rate, exponential(length()), exponential(length())),
    }),
    () => ({
      name: 'sessions',
      shape: 'bursts',
      others: spells(rate, heavyTailed(between(10, 120, chance)), exponential(length())),
    }),
    () => ({
      name: 'self-exciting',
      shape: 'bursts',
      others: selfExciting(rate / 2.5, 0.5 + 0.4 * chance(), between(5, 90, chance)),
    }),
    () => ({
      name: 'jobs',
      shape: 'bursts',
      others: cyclic(
        between(2, 10, chance) * refill,
        between(5, 40, chance),
        Math.round(between(120, 900, chance)),
      ),
    }),
    () => ({
      name: 'scans',
      shape: 'bursts',
      others: spells(
        between(4, 20, chance) * refill,
        around(between(3, 20, chance), 0.5),
        exponential(between(60, 900, chance)),
      ),
    }),
    () => ({ name: 'levels', shape: 'other', others: levels(rate / 2, between(60, 900, chance)) }),
    () => ({
      name: 'a trend',
      shape: 'other',
      others: trend(rate, between(0.3, 4, chance) * refill, 0.5 * chance()),
    }),
    () => ({
      name: 'diurnal',
      shape: 'other',
      others: diurnal(rate, 0.5 + 0.5 * chance(), between(900, 5400, chance)),
    }),
    () => {
      const cycle = Math.round(between(30, 900, chance))
      return {
        name: 'cyclic',
        shape: 'bursts',
        others: cyclic(rate, Math.max(1, Math.round(cycle * between(0.1, 0.8, chance))), cycle),
      }
    },
  ]
  return picked(FAMILIES, chance)()
}

const SUPPOSED = { drawn: 1500, steady: 300, quiet: 200 } as const
const REDRAWN_SECONDS = 3600
const MAX_OF_THE_REFILL = 25

/**
 * What an oracle assumes that does not know the kind of traffic: one of the kinds that the bench draws from,
 * a steady rate, or no others. Their shares are those of the bench.
 */
export function supposed(refill: number, chance: Chance): Process {
  const several = (count: number, draw: () => Process) => Array.from({ length: count }, draw)
  return oneOf(
    [
      ...several(SUPPOSED.drawn, () => drawn(refill, chance).others),
      ...several(SUPPOSED.steady, () => steady(between(0.2, 4, chance) * refill)),
      ...several(SUPPOSED.quiet, () => steady(0)),
    ],
    { redrawnSeconds: REDRAWN_SECONDS, maxPerSecond: MAX_OF_THE_REFILL * refill },
  )
}

const picked = <T>(items: readonly T[], chance: Chance): T => items[Math.floor(chance() * items.length)]!

/** Evenly on a logarithmic scale. */
const between = (low: number, high: number, chance: Chance): number => low * (high / low) ** chance()
