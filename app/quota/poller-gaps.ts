/**
 * Maximum number of stored gaps. When it is exceeded, the oldest quarter of the gaps is dropped. A gap is the
 * time between two headers.
 */
const CAPACITY = 256
const DROPPED = CAPACITY / 4
/** Others' requests in a gap are counted only up to this number. */
const MOST_COUNTED = 15
const OUTCOMES = MOST_COUNTED + 1
/** Gaps are pooled by length: up to 1 s, 2 s, 4 s and so on. */
const LENGTHS = 8
/** When a pool has this many outcomes, all its counts are halved. */
const REMEMBERED = 64
/**
 * Each of the two models of irregular use has a weight. At each gap, both weights move towards ½ by this
 * share.
 */
const SHARED = 0.02
/**
 * Minimum probability of a gap under irregular use. Without this minimum, a jump of others' rate would look
 * like evidence of a poller, because it makes a gap improbable.
 */
const MIN_CHANCE = 0.03
/** Minimum probability of a header's value. If both models gave it 0, both weights would become 0. */
const POSSIBLE = 1e-12
/** The prior of a pool counts as much as this number of gaps. */
const PRIOR_COUNTS = 2
/**
 * Prior for a nearly full quota: probability that a gap has no requests by others. Each further request
 * multiplies the probability by `1 − FEW`.
 */
const FEW = 0.6

const pools = () => Array.from({ length: LENGTHS }, () => new Float64Array(OUTCOMES))

/** The time between two headers of a rolling quota. Times in seconds, levels in requests. */
export interface Gap {
  readonly from: number
  readonly to: number
  /** Possible error of either header's time. */
  readonly slack: number
  /**
   * Bounds on the level: `least` and `most` after the first header, `leastAfter` and `mostAfter` after the
   * second.
   */
  readonly least: number
  readonly most: number
  readonly leastAfter: number
  readonly mostAfter: number
  /** Own requests after the first header, up to and including the request of the second header. */
  readonly own: number
  /** Requests by others, as far as the second header shows them. */
  readonly missing: number
  /**
   * Whether the quota would have been full at some time between the headers if others had made no requests.
   */
  readonly isNearFull: boolean
  /** The probability, 0 to 1, that `OthersUse` gave to the value in the second of the two headers. */
  readonly chance: number
}

/** Fields of a gap that are stored unchanged. */
const COPIED = ['from', 'to', 'slack', 'least', 'most', 'leastAfter', 'mostAfter', 'own', 'missing'] as const

/**
 * The latest gaps between headers, oldest first. For each gap, `irregular` is the probability of its number
 * of others' requests if others' use is irregular.
 *
 * On a nearly full quota, the probability of a number is its share among earlier gaps on a nearly full quota.
 * On any other quota, it is a weighted mean of two values: the share of that number among earlier gaps, and
 * the probability from `OthersUse`. The value that has predicted earlier gaps better has the greater weight.
 */
export class PollerGaps {
  readonly from = new Float64Array(CAPACITY)
  readonly to = new Float64Array(CAPACITY)
  readonly slack = new Float64Array(CAPACITY)
  readonly least = new Float64Array(CAPACITY)
  readonly most = new Float64Array(CAPACITY)
  readonly leastAfter = new Float64Array(CAPACITY)
  readonly mostAfter = new Float64Array(CAPACITY)
  readonly own = new Float64Array(CAPACITY)
  readonly missing = new Float64Array(CAPACITY)
  readonly nearFull = new Uint8Array(CAPACITY)
  readonly irregular = new Float64Array(CAPACITY)
  count = 0
  /** Number of gaps so far, including dropped ones. */
  added = 0
  /** End of the latest gap, in seconds. */
  get end(): number {
    return this.count === 0 ? Number.NEGATIVE_INFINITY : this.to[this.count - 1]!
  }

  #weight = 0.5
  /**
   * How many gaps had 0, 1, 2 … requests by others.
   * - `#nearFull`: gaps on a nearly full quota, whatever their length.
   * - `#nearFullBy`: the same, separately for each length of gap.
   * - `#by`: gaps on any other quota, separately for each length of gap.
   */
  readonly #nearFull = new Float64Array(OUTCOMES)
  readonly #nearFullBy = pools()
  readonly #by = pools()

  add(gap: Gap): void {
    if (this.count === CAPACITY) this.#drop()
    const at = this.count
    for (const name of COPIED) this[name][at] = gap[name]
    this.nearFull[at] = Number(gap.isNearFull)
    this.irregular[at] = Math.max(MIN_CHANCE, this.#chanceOf(gap))
    this.count += 1
    this.added += 1
  }

  clear(): void {
    this.count = 0
    this.#weight = 0.5
    for (const counts of [this.#nearFull, ...this.#nearFullBy, ...this.#by]) counts.fill(0)
  }

  #drop(): void {
    for (const name of [...COPIED, 'nearFull', 'irregular'] as const) this[name].copyWithin(0, DROPPED)
    this.count -= DROPPED
  }

  #chanceOf({ from, to, missing, isNearFull, chance }: Gap): number {
    const outcome = Math.min(MOST_COUNTED, Math.max(0, Math.round(missing)))
    const foretold = Math.min(1, Math.max(POSSIBLE, chance))
    const length = Math.min(LENGTHS - 1, Math.max(0, Math.ceil(Math.log2(Math.max(1, to - from)))))
    if (isNearFull) {
      const anyLength = share(this.#nearFull, outcome, FEW * (1 - FEW) ** outcome)
      const chanceHere = share(this.#nearFullBy[length]!, outcome, anyLength)
      count(this.#nearFull, outcome)
      count(this.#nearFullBy[length]!, outcome)
      return chanceHere
    }
    const seen = share(this.#by[length]!, outcome, foretold)
    count(this.#by[length]!, outcome)
    const both = this.#weight * foretold + (1 - this.#weight) * seen
    this.#weight = (1 - SHARED) * ((this.#weight * foretold) / both) + SHARED / 2
    return both
  }
}

/** The probability of an outcome, from the outcomes counted so far. `before`: its prior probability. */
function share(counts: Float64Array, outcome: number, before: number): number {
  let sum = 0
  for (const counted of counts) sum += counted
  return (counts[outcome]! + PRIOR_COUNTS * before) / (sum + PRIOR_COUNTS)
}

function count(counts: Float64Array, outcome: number): void {
  counts[outcome]! += 1
  let sum = 0
  for (const counted of counts) sum += counted
  if (sum >= REMEMBERED) for (let at = 0; at < OUTCOMES; at += 1) counts[at]! /= 2
}
