import type { RequestQuota } from '../contract/snapshot.ts'
import { LOW_THRESHOLD } from '../contract/units.ts'
import type { Bucket } from './bucket.ts'
import { emptyRangeOf } from './level-forecast.ts'
import type { OthersReading } from './others-reading.ts'
import { hundredths } from './rates.ts'
import { replenishedPerSecond } from './replenishment.ts'
import { fixedSecondsLeft, type PaceLimits, safePace } from './safe-pace.ts'
import type { RowState } from './state.ts'
import { rowVerdictOf } from './verdict.ts'

/** The wait after a 429 (service 7). */
export interface Hold {
  readonly untilMs: number
  /** Number of consecutive 429s. */
  readonly refusals: number
  /**
   * Whether others used the whole refill when the wait began. They are assumed to do so until the wait ends.
   */
  readonly byOthers?: boolean
}

/** The wait, state and thresholds of a row. A row's bucket does not contain them. */
export interface RowStanding extends PaceLimits {
  readonly hold: Hold | undefined
  /** When to send the next try while others use the whole refill. The wait then has no known end. */
  readonly nextTryAtMs?: number
  readonly state: RowState
  /** Share of the limit below which the row is low. Default: `LOW_THRESHOLD`. */
  readonly threshold?: number
  /** See `RequestQuota.held`. */
  readonly held?: number
}

/** Minimum use for a forecast: as a share of the limit, and in requests. */
const EVIDENCE = { fraction: 0.03, requests: 5 }
/** If own and desk use is below this share of the refill, others might get the whole refill. */
const NOTABLE_OWN_SHARE = 0.05
/** Maximum time that a forecast looks ahead, in periods. */
const FORECAST_PERIODS = 12

/** One row of a snapshot, computed for `nowMs`. Units and meanings: `RequestQuota`. */
export function viewOf(
  category: string,
  resource: string | undefined,
  bucket: Bucket,
  { hold, nextTryAtMs, state, threshold = LOW_THRESHOLD, reserve, part, held = 0 }: RowStanding,
  nowMs: number,
): RequestQuota {
  const { low, high, likelyHigh, point, slopePerSecond, emptyNow } = bucket.estimate(nowMs)
  const periodSeconds = bucket.periodMs / 1000
  const counted = bucket.countedPerSecond(nowMs)
  const desk = bucket.deskPerSecond(nowMs)
  const remaining = Math.floor(point)
  const { seen } = bucket
  const gain = replenishedPerSecond(bucket.limit, periodSeconds)
  const others = bucket.others(nowMs)
  const isBlocked = hold !== undefined && hold.untilMs > nowMs
  const rolling = bucket.model === 'rolling'
  const measured = rangeOfUse(others, counted, desk)
  const isByOthers = hold?.byOthers === true || nextTryAtMs !== undefined
  const isEmpty = isBlocked || point < 1
  const use = measured && isEmpty && rolling ? whileEmpty(measured, gain, isBlocked && isByOthers) : measured
  const nextTryAt = isBlocked ? nextTryAtMs : undefined
  const blockedUntil = isBlocked && nextTryAt === undefined ? hold.untilMs : undefined
  const nextAt = rolling && point < bucket.limit ? nowMs + ((remaining + 1 - point) / gain) * 1000 : undefined
  const windowEndsAt = bucket.windowEndsAtMs
  const fullAt = rolling
    ? point < bucket.limit
      ? nowMs + ((bucket.limit - point) / gain) * 1000
      : undefined
    : windowEndsAt
  const emptyAt = isBlocked
    ? undefined
    : emptyAtOf(bucket, measured && measured.total - Math.min(measured.own, held), point, gain, nowMs)
  // The fields are assigned one by one. Conditional spreads took most of the time that a snapshot needs.
  const row: { -readonly [K in keyof RequestQuota]: RequestQuota[K] } = {
    category,
    model: bucket.model,
    confidence: bucket.confidence,
    limit: bucket.limit,
    period: periodSeconds,
    remaining,
    low: Math.floor(low),
    high: Math.floor(high),
    source: bucket.show(remaining),
    use,
    rejected: bucket.rejected,
    level: point,
    asOf: Math.round(nowMs),
    slope: slopePerSecond,
    verdict: 'not-seen',
    state: 'not-checked',
    threshold,
  }
  if (held > 0) row.held = held
  if (resource !== undefined) row.resource = resource
  if (seen) {
    row.observedAt = Math.round(seen.atMs)
    row.seen = seen.remaining
  }
  if (nextAt !== undefined) row.nextAt = Math.round(nextAt)
  if (fullAt !== undefined) row.fullAt = Math.round(fullAt)
  if (others) row.emptyChance = isBlocked ? 1 : others.emptyChance
  if (emptyAt !== undefined) row.emptyAt = Math.round(emptyAt)
  if (blockedUntil !== undefined) row.blockedUntil = Math.round(blockedUntil)
  if (nextTryAt !== undefined) row.nextTryAt = Math.round(nextTryAt)
  if (windowEndsAt !== undefined) row.windowEndsAt = Math.round(windowEndsAt)
  row.state = state.at(
    {
      seen,
      blocked: isBlocked,
      limit: bucket.limit,
      threshold,
      low,
      high: likelyHigh,
      point,
      emptyNow,
      emptyChance: others?.emptyChance ?? 0,
      emptyChanceByPresent: others?.emptyChanceByPresent ?? 0,
      isHeldBack: held > 0,
    },
    nowMs,
  )
  const ahead = bucket.loadAhead(nowMs)
  if (ahead && !isBlocked) row.usualLoad = { at: ahead.atMs, perSecond: hundredths(ahead.perSecond) }
  const { poller } = bucket
  if (poller) {
    const { everySeconds, calls, mayBeMore, sinceMs } = poller
    row.poller = { everySeconds, calls, ...(mayBeMore && { mayBeMore }), since: Math.round(sinceMs) }
  }
  row.verdict = rowVerdictOf(row)
  const empties = emptyRangeOf(row)
  if (empties) row.emptyFrom = Math.round(empties.fromMs)
  if (empties?.toMs !== undefined) row.emptyTo = Math.round(empties.toMs)
  // After a single header, others' use is unknown. It could be above 0, so no rate counts as safe.
  if (seen && (row.use !== null || isBlocked)) row.safe = safePace(row, nowMs, { reserve, part })
  return row
}

/** This app's own requests per second, without those of its desk's other machines. */
export const ownPerSecond = (bucket: Bucket, nowMs: number): number =>
  Math.max(0, bucket.countedPerSecond(nowMs) - bucket.deskPerSecond(nowMs))

/**
 * The use of this app, its desk and others, in requests per second. `counted`: own requests plus those of the
 * desk's other machines.
 */
function rangeOfUse(others: OthersReading | undefined, counted: number, desk: number) {
  if (others === undefined) return null
  return {
    total: counted + others.perSecond,
    own: Math.max(0, counted - desk),
    ...(desk > 0 && { desk }),
    elsewhere: others.perSecond,
    elsewhereLow: others.perSecondAtLeast,
    elsewhereHigh: others.perSecondAtMost,
  }
}

/**
 * The use of a rolling bucket while it is empty. The service then accepts only the refill `gain`, so others'
 * rate is at most `gain`. If others caused the wait after a 429, they are assumed to take the whole refill
 * until that wait ends. The low end of their rate is at most what own and desk requests leave of the refill.
 */
function whileEmpty(use: NonNullable<ReturnType<typeof rangeOfUse>>, gain: number, byOthers: boolean) {
  const { own, desk } = use
  const counted = own + (desk ?? 0)
  const most = (perSecond: number) => (byOthers ? gain : Math.min(perSecond, gain))
  const elsewhere = most(use.elsewhere)
  const left = counted < NOTABLE_OWN_SHARE * gain ? gain : Math.max(0, gain - counted)
  return {
    own,
    ...(desk !== undefined && { desk }),
    elsewhere,
    elsewhereLow: Math.min(byOthers ? gain : use.elsewhereLow, left),
    elsewhereHigh: most(use.elsewhereHigh),
    total: counted + elsewhere,
  }
}

/**
 * When the bucket runs empty if use continues. `undefined` if the bucket does not run empty, or if others'
 * use is unknown.
 */
function emptyAtOf(
  bucket: Bucket,
  perSecond: number | null,
  point: number,
  gainPerSecond: number,
  nowMs: number,
): number | undefined {
  if (perSecond === null) return undefined
  const spent = bucket.limit - point
  if (spent < EVIDENCE.requests || spent < bucket.limit * EVIDENCE.fraction) return undefined
  const { model, windowEndsAtMs: windowEndsAt } = bucket
  const secondsLeft = fixedSecondsLeft({ model, period: bucket.periodMs / 1000, windowEndsAt }, nowMs)
  const drain = perSecond - (secondsLeft === undefined ? gainPerSecond : 0)
  if (drain <= 0) return undefined
  const atMs = nowMs + (point / drain) * 1000
  if (atMs - nowMs >= 1000 * (secondsLeft ?? Number.POSITIVE_INFINITY)) return undefined
  return atMs - nowMs > FORECAST_PERIODS * bucket.periodMs ? undefined : atMs
}
