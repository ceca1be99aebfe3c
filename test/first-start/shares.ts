import type { Look } from './look.ts'
import type { ShownRow } from './shown.ts'
import { isUnsettled } from './troubles.ts'
import type { Truth } from './truth.ts'

/** Shares of the looks at single rows in which the display was right. */
export interface Shares {
  readonly looks: number
  readonly level: number
  readonly others: number
}

/** The rate of others is a mean over this time, which ends with the look. */
const MEAN_MS = 60_000
/** A count of `n` requests is within ±1.645 √n of its mean with a probability of 90 %. */
const SPREAD = 1.645
/** A number without a range counts as a range of this share of the limit. */
const MIDDLE = 0.1
/** Time after a fault within which every row gets a header again. */
const BACK_MS = 30_000
/** Requests that may have come since the push. */
const SLACK = 2

/** The shares over all looks at checked rows. The time around a fault is left out. */
export function sharesOf(looks: readonly Look[]): Shares {
  const judged = looks.flatMap((look, index) => {
    if (look.troubles.some((trouble) => isUnsettled(trouble, look.shown.atMs, BACK_MS))) return []
    const from = looks.slice(0, index).findLast(({ shown }) => shown.atMs <= look.shown.atMs - MEAN_MS)
    if (from === undefined) return []
    return look.shown.rows.flatMap((row) => {
      const [level, others] = [isLevelRight(row, look.after), isRateRight(row, from.after, look.after)]
      return row.state === 'not checked' || level === undefined || others === undefined
        ? []
        : [{ level, others }]
    })
  })
  return {
    looks: judged.length,
    level: judged.filter(({ level }) => level).length,
    others: judged.filter(({ others }) => others).length,
  }
}

const countIn = ({ requests }: Truth, category: string) => requests.find((one) => one.category === category)

function isLevelRight({ category, left }: ShownRow, truth: Truth): boolean | undefined {
  const count = countIn(truth, category)
  const [low, high] = left.replace('~', '').split('–').map(Number)
  if (count === undefined || low === undefined || Number.isNaN(low)) return undefined
  const apart = (high === undefined ? (count.limit * MIDDLE) / 2 : 0) + SLACK
  return count.remaining >= low - apart && count.remaining <= (high ?? low) + apart
}

/**
 * Whether the range contains the rate of others' accepted requests, within the statistical error of a mean.
 */
function isRateRight({ category, others }: ShownRow, from: Truth, to: Truth): boolean | undefined {
  const [first, last] = [countIn(from, category), countIn(to, category)]
  const [least, most = least] = others.split('–').map(Number)
  if (first === undefined || last === undefined || least === undefined || most === undefined) return undefined
  if (Number.isNaN(least)) return undefined
  const requests = last.elsewhere.accepted - first.elsewhere.accepted
  const seconds = (to.at - from.at) / 1000
  const spread = SPREAD * Math.sqrt(Math.max(1, requests))
  return least <= (requests + spread) / seconds && most >= (requests - spread) / seconds
}
