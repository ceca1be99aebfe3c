import type { Kind } from './kinds.ts'
import type { Process } from './process.ts'
import { together } from './processes.ts'

/**
 * One load of a day. Times are seconds from 09:00 exchange time, when the measurement begins. `times` is the
 * rate as a multiple of the refill.
 */
interface DailyLoad {
  readonly at: number
  readonly seconds: number
  readonly times: number
  /** Probability that the load occurs on a day. Without it, the load occurs every day. */
  readonly chance?: number
  /** For the control: the load begins at a random time of the day instead of `at`. */
  readonly isRandom?: boolean
}

/** Start of the measurement in minutes of the exchange's day, and its length in minutes. */
export const DAY_FROM_MINUTE = 540
export const DAY_MINUTES = 100
const OPEN = 1800
const LATENESS_SECONDS = 20
const SPREAD = 0.3

/** A load on one day. Its start, its rate and whether it occurs are drawn at random. */
export function daily(
  { at, seconds, times, chance: present = 1, isRandom = false }: DailyLoad,
  refill: number,
): Process {
  const [STARTS, RATE] = [0, 1]
  return {
    size: 2,
    start(state, from, chance) {
      const usual = at + LATENESS_SECONDS * chance()
      const random = (DAY_MINUTES * 60 - seconds) * chance()
      state[from + STARTS] = isRandom ? random : usual
      const rate = times * refill * (1 - SPREAD / 2 + SPREAD * chance())
      state[from + RATE] = chance() < present ? rate : 0
    },
    next: (state, from, second) => {
      const since = second - state[from + STARTS]!
      return since >= 0 && since < seconds ? state[from + RATE]! : 0
    },
  }
}

const KINDS: readonly { readonly name: string; readonly loads: readonly DailyLoad[] }[] = [
  { name: 'a scanner at the open', loads: [{ at: OPEN, seconds: 360, times: 3 }] },
  { name: 'a batch at ten', loads: [{ at: 3600, seconds: 300, times: 4 }] },
  {
    name: 'a poller from 09:15 and a scan at 09:45',
    loads: [
      { at: 900, seconds: 5100, times: 0.5 },
      { at: 2700, seconds: 480, times: 2.2 },
    ],
  },
  {
    name: 'two scanners, at the open and at 10:10',
    loads: [
      { at: OPEN, seconds: 300, times: 3 },
      { at: 4200, seconds: 240, times: 4 },
    ],
  },
  {
    name: 'a load at 09:35 on four of five days',
    loads: [{ at: 2100, seconds: 600, times: 2, chance: 0.8 }],
  },
  {
    name: 'an opening rush that ebbs',
    loads: [
      { at: OPEN, seconds: 240, times: 2.5 },
      { at: OPEN + 240, seconds: 900, times: 1.2 },
    ],
  },
]

const CONTROL: typeof KINDS = [
  { name: 'control: a scanner at a random time', loads: [{ at: 0, seconds: 360, times: 3, isRandom: true }] },
  {
    name: 'control: two loads at random times',
    loads: [
      { at: 0, seconds: 300, times: 4, isRandom: true },
      { at: 0, seconds: 480, times: 2.2, isRandom: true },
    ],
  },
]

const QUOTAS = [
  { limit: 320, periodSeconds: 300 },
  { limit: 90, periodSeconds: 60 },
] as const

const of = (kinds: typeof KINDS): readonly Kind[] =>
  kinds.flatMap(({ name, loads }) =>
    QUOTAS.map(({ limit, periodSeconds }): Kind => {
      const others = together(...loads.map((load) => daily(load, limit / periodSeconds)))
      return {
        name: `${name}, ${limit} in ${periodSeconds} s`,
        shape: 'bursts',
        limit,
        periodSeconds,
        own: 0,
        others,
      }
    }),
  )

export const dailyKinds = (): readonly Kind[] => of(KINDS)
/** The same loads on days without a pattern. */
export const controlKinds = (): readonly Kind[] => of(CONTROL)
