import type { QuotaState } from '../../../app/contract/snapshot.ts'
import type { Kind } from './kinds.ts'

/**
 * The true and the shown numbers of one quota over half an hour, one for each second. Levels in
 * requests.
 */
export interface Looks {
  readonly kind: Kind
  readonly count: number
  /** The service's own Remaining. Continues for ten minutes after the last look. */
  readonly truth: Float64Array
  /** The mean rate of others, in requests per second. Continues for a minute longer than `truth`. */
  readonly rate: Float64Array
  /** Others' requests so far: those that the service accepted, and those that got 429. */
  readonly accepted: Float64Array
  readonly refused: Float64Array
  /** Whether a header has arrived: 0 or 1. */
  readonly isSeen: Uint8Array
  readonly state: QuotaState[]
  readonly middle: Float64Array
  readonly low: Float64Array
  readonly high: Float64Array
  readonly headerAgeSeconds: Float64Array
  /** Ends of the range of others' rate, requests a second; NaN if none is shown. */
  readonly othersLow: Float64Array
  readonly othersHigh: Float64Array
  /** The shown chance that the quota is empty within ten minutes, 0 to 1. */
  readonly chance: Float64Array
  readonly oracle: Told
  /** An oracle that knows the kinds of traffic, but not which one this is. */
  readonly untold: Told
  readonly peers: Readonly<Record<string, Float64Array>>
  /** Checks that the service counted against this quota. */
  checks: number
}

/** The results of an oracle for each second. */
export interface Told {
  readonly middle: Float64Array
  readonly low: Float64Array
  readonly high: Float64Array
  /** NaN if the oracle made no forecast. */
  readonly chance: Float64Array
  /** Ends of the range of others' rate, requests a second. */
  readonly othersLow: Float64Array
  readonly othersHigh: Float64Array
}

export function noLooks(kind: Kind, count: number, aheadSeconds: number, peers: readonly string[]): Looks {
  const numbers = () => new Float64Array(count)
  const told = (): Told => {
    const chance = numbers().fill(Number.NaN)
    return {
      ...{ middle: numbers(), low: numbers(), high: numbers(), chance },
      ...{ othersLow: numbers(), othersHigh: numbers() },
    }
  }
  return {
    kind,
    count,
    truth: new Float64Array(count + aheadSeconds),
    rate: new Float64Array(count + aheadSeconds + 60),
    accepted: numbers(),
    refused: numbers(),
    isSeen: new Uint8Array(count),
    state: [],
    middle: numbers(),
    low: numbers(),
    high: numbers(),
    headerAgeSeconds: numbers(),
    othersLow: numbers().fill(Number.NaN),
    othersHigh: numbers().fill(Number.NaN),
    chance: numbers(),
    oracle: told(),
    untold: told(),
    peers: Object.fromEntries(peers.map((name) => [name, numbers()])),
    checks: 0,
  }
}
