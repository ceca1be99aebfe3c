import { exchangeTimeOf } from '../../../app/contract/exchange-time.ts'
import { DAY_MS } from '../../../app/contract/units.ts'
import {
  RECORDED_STRETCH_MS,
  type RecordedStretch,
  usualDayOf,
  usualLoads,
} from '../../../app/history/usual-day.ts'
import type { LearnedQuotas } from '../../../app/quota/learned.ts'
import type { Ledger } from '../../../app/quota/ledger.ts'
import { DAY_FROM_MINUTE, DAY_MINUTES } from './daily-kinds.ts'
import { type Figures, figuresOf } from './figures.ts'
import type { Kind } from './kinds.ts'
import { CATEGORY, watchedKey } from './watched-key.ts'

/** A Monday; ten trading days follow from it. */
const MONDAY = Date.UTC(2026, 1, 2)
export const TRADING_DAYS = 10

export interface Days {
  readonly first: Figures
  readonly last: Figures
  /** The same last day, but without anything learned before. */
  readonly lastUnlearned: Figures
}

/** What Headroom has learned up to the morning of a day. */
interface Known {
  readonly stretches: RecordedStretch[]
  learned: LearnedQuotas
}

/**
 * Ten trading days of one kind of traffic. Each day is drawn at random, and Headroom starts it with what it
 * learned before: the record, and the content of `learned.json`. The oracles run only on the first and the
 * last day.
 */
export async function tenDays(kind: Kind, seed: number, asksOracle = false): Promise<Days> {
  const known: Known = { stretches: [], learned: {} }
  const seedOf = (day: number) => seed * 1000 + day
  const first = await watchedDay(kind, seedOf(0), { day: 0, known, asksOracle })
  for (let day = 1; day < TRADING_DAYS - 1; day += 1)
    await watchedDay(kind, seedOf(day), { day, known, asksOracle: false })
  const day = TRADING_DAYS - 1
  const lastUnlearned = await watchedDay(kind, seedOf(day), {
    ...{ day, known: { stretches: [], learned: {} }, asksOracle: false },
  })
  const last = await watchedDay(kind, seedOf(day), { day, known, asksOracle })
  return { first, last, lastUnlearned }
}

interface Watched {
  readonly day: number
  readonly known: Known
  readonly asksOracle: boolean
}

async function watchedDay(kind: Kind, seed: number, { day, known, asksOracle }: Watched): Promise<Figures> {
  const dayMs = MONDAY + (day + 2 * Math.floor(day / 5)) * DAY_MS
  const startMs = exchangeTimeOf(dayMs, DAY_FROM_MINUTE)
  let ledger: Ledger | undefined
  let before = 0
  const usual = usualDayOf(known.stretches, startMs)
  const today: RecordedStretch[] = []
  let levels: number[] = []
  const looks = await watchedKey(kind, seed, {
    ...{ asksOracle, startMs, minutes: DAY_MINUTES },
    before: (made) => {
      ledger = made
      made.restore(known.learned)
      made.expect(CATEGORY, usualLoads(usual, [], startMs))
    },
    each: (row, atMs) => {
      levels.push(row.level)
      if ((atMs - startMs) % RECORDED_STRETCH_MS !== 0) return
      const used = ledger?.view(atMs).find(({ category }) => category === row.category)?.used?.elsewhere ?? 0
      today.push({
        ...{ atMs: atMs - RECORDED_STRETCH_MS, requests: used - before, knownMs: RECORDED_STRETCH_MS },
        level: levels.reduce((sum, level) => sum + level, 0) / levels.length,
      })
      levels = []
      before = used
      if (atMs === exchangeTimeOf(dayMs, 600)) ledger?.expect(CATEGORY, usualLoads(usual, today, atMs))
    },
    after: (made) => {
      known.learned = made.learned()
    },
  })
  known.stretches.push(...today)
  return figuresOf(looks)
}
