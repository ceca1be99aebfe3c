import type { MonitorEvent, ShortState } from '../contract/events.ts'
import type { RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './replenishment.ts'

type ShortEvent = Extract<MonitorEvent, { kind: 'quota-short' | 'quota-short-ended' }>

interface Episode {
  readonly state: ShortState
  /** Epoch ms. */
  readonly sinceMs: number
}

/**
 * The states of a row in which its quota is short, as episodes: told when a row comes into one, when it goes from one to
 * another, and when it leaves them.
 *
 * A row that is watched is no episode: much may be left of it, and it comes and goes.
 */
export class ShortEpisodes {
  readonly #open = new Map<string, Episode>()

  /** Takes a row as it is at `nowMs`, epoch ms. */
  looked(row: RequestQuota, nowMs: number): ShortEvent | undefined {
    const { category } = row
    const open = this.#open.get(category)
    const state = shortStateOf(row)
    if (state === open?.state) return undefined
    if (state !== undefined) {
      this.#open.set(category, { state, sinceMs: nowMs })
      return shortEvent(row, state)
    }
    this.#open.delete(category)
    return open && { kind: 'quota-short-ended', category, state: open.state, since: Math.round(open.sinceMs) }
  }
}

const shortStateOf = ({ state }: RequestQuota): ShortState | undefined =>
  state === 'low' || state === 'running-out' || state === 'empty' ? state : undefined

function shortEvent(row: RequestQuota, state: ShortState): ShortEvent {
  const { category, limit, remaining, emptyAt, use, model, period } = row
  return {
    kind: 'quota-short',
    category,
    state,
    limit,
    remaining,
    ...(emptyAt !== undefined && { emptyAt: Math.round(emptyAt) }),
    ...(use && {
      othersLow: hundredths(use.elsewhereLow ?? use.elsewhere),
      othersHigh: hundredths(use.elsewhereHigh ?? use.elsewhere),
    }),
    ...(model === 'rolling' && { refill: hundredths(replenishedPerSecond(limit, period)) }),
  }
}

const hundredths = (perSecond: number): number => Math.round(perSecond * 100) / 100
