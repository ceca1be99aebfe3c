import { exchangeDayOf, exchangeTimeOf } from '../../app/contract/exchange-time.ts'
import type { UsualLoad } from '../../app/contract/history.ts'
import { DAY_MS } from '../../app/contract/units.ts'
import {
  type RecordedStretch,
  SHOWN,
  type UsualDay,
  usualDayOf,
  usualLevels,
  usualLoads,
} from '../../app/history/usual-day.ts'
import type { RowInterval } from './history-file.ts'

/** How far back the recorded history is read, in milliseconds. */
const READ_MS = 30 * DAY_MS

/** Reads the recorded history of one quota, oldest first. `undefined` if it can't be read. */
type StretchesOf = (asked: RowInterval) => readonly RecordedStretch[] | undefined

interface Learned {
  /**
   * `dayMs`: the exchange's day on which `usual` was learned. `isShown`: whether it was learned after 10:00
   * exchange time of that day.
   */
  readonly dayMs: number
  readonly isShown: boolean
  readonly usual: UsualDay
  readonly loads: readonly UsualLoad[]
}

const NO_LOADS: readonly UsualLoad[] = []

/**
 * The usual day of each quota. It is learned from the recorded history at the first lookup, on each new day
 * of the exchange, and again at 10:00 exchange time.
 */
export class UsualDays {
  readonly #read: StretchesOf
  readonly #learned = new Map<string, Learned>()

  constructor(read: StretchesOf) {
    this.#read = read
  }

  /**
   * Returns today's usual loads of a row. `hasRead` is true if this call read the recorded history.
   *
   * The history is read only if `mayRead` is true and there is something new to learn. Reading a month of one
   * row takes tens of milliseconds.
   */
  look(profile: string, category: string, nowMs: number, mayRead: boolean) {
    const key = keyOf(profile, category)
    const dayMs = exchangeDayOf(nowMs)
    const isShown = nowMs >= exchangeTimeOf(dayMs, SHOWN.untilMinute)
    const known = this.#learned.get(key)
    const isDue = known?.dayMs !== dayMs || known.isShown !== isShown
    if (!isDue || !mayRead) return { loads: known?.loads ?? NO_LOADS, hasRead: false }
    const stretches = this.#read({ profile, category, fromMs: nowMs - READ_MS, toMs: nowMs })
    if (stretches === undefined) return { loads: known?.loads ?? NO_LOADS, hasRead: false }
    const usual = usualDayOf(stretches, nowMs)
    const loads = usualLoads(usual, stretches, nowMs)
    this.#learned.set(key, { dayMs, isShown, usual, loads })
    return { loads, hasRead: true }
  }

  levels({ profile, category, fromMs, toMs }: RowInterval) {
    const usual = this.#learned.get(keyOf(profile, category))?.usual
    return usual === undefined ? [] : usualLevels(usual, fromMs, toMs)
  }

  forget(profile: string): void {
    for (const key of this.#learned.keys()) if (key.startsWith(keyOf(profile, ''))) this.#learned.delete(key)
  }
}

const keyOf = (profile: string, category: string): string => `${profile}\n${category}`
