import type { RequestLimit } from '../../../app/service/categories.ts'
import type { SimulatorFlags } from '../options.ts'

/**
 * A quota as a bucket (service 8.3), in whole numbers.
 *
 * A rolling bucket counts in units of 1/`periodMs` of a request. A request costs `periodMs` units, and each
 * millisecond refills `limit` units. So fractions of a request are exact, and no rounding errors accumulate.
 */
export type BucketRule = RequestLimit & Pick<SimulatorFlags, 'window'>

export type ThrottleBucket =
  | { readonly kind: 'rolling'; readonly level: number; readonly atMs: number }
  | { readonly kind: 'fixed'; readonly used: number; readonly startedAtMs: number | undefined }

/** The values of X-RateLimit-Remaining and -Reset. */
export interface BucketReading {
  readonly remaining: number
  readonly resetSeconds: number
}

const periodMs = (rule: BucketRule): number => rule.periodSeconds * 1000
const full = (rule: BucketRule): number => rule.limit * periodMs(rule)

export function fullBucket(rule: BucketRule, atMs: number): ThrottleBucket {
  return rule.window === 'rolling'
    ? { kind: 'rolling', level: full(rule), atMs: Math.floor(atMs) }
    : { kind: 'fixed', used: 0, startedAtMs: undefined }
}

/** The bucket at `atMs`. If the clock goes back, the bucket stays the same. */
export function bucketAt(rule: BucketRule, bucket: ThrottleBucket, atMs: number): ThrottleBucket {
  switch (bucket.kind) {
    case 'rolling': {
      const now = Math.max(bucket.atMs, Math.floor(atMs))
      const level = Math.min(full(rule), bucket.level + (now - bucket.atMs) * rule.limit)
      return { kind: 'rolling', level, atMs: now }
    }
    case 'fixed': {
      const { startedAtMs } = bucket
      const over = startedAtMs !== undefined && atMs >= startedAtMs + periodMs(rule)
      return over ? { kind: 'fixed', used: 0, startedAtMs: undefined } : bucket
    }
  }
}

/** Makes one request at `atMs`. A rejected request (429) uses nothing. */
export function spend(
  rule: BucketRule,
  bucket: ThrottleBucket,
  atMs: number,
): { accepted: boolean; bucket: ThrottleBucket } {
  const now = bucketAt(rule, bucket, atMs)
  switch (now.kind) {
    case 'rolling': {
      const left = now.level - periodMs(rule)
      return left < 0 ? { accepted: false, bucket: now } : { accepted: true, bucket: { ...now, level: left } }
    }
    case 'fixed': {
      if (now.used >= rule.limit) return { accepted: false, bucket: now }
      // The window starts at the first request of the category and does not slide (service 8.3.5).
      const startedAtMs = now.startedAtMs ?? Math.floor(atMs)
      return { accepted: true, bucket: { kind: 'fixed', used: now.used + 1, startedAtMs } }
    }
  }
}

/** The values of the quota headers at `atMs`. Requests are rounded down, and seconds up. */
export function readingOf(rule: BucketRule, bucket: ThrottleBucket, atMs: number): BucketReading {
  const now = bucketAt(rule, bucket, atMs)
  switch (now.kind) {
    case 'rolling':
      return {
        remaining: Math.floor(now.level / periodMs(rule)),
        resetSeconds: Math.ceil((full(rule) - now.level) / (rule.limit * 1000)),
      }
    case 'fixed':
      return {
        remaining: rule.limit - now.used,
        resetSeconds:
          now.startedAtMs === undefined
            ? 0
            : Math.max(0, Math.ceil((now.startedAtMs + periodMs(rule) - atMs) / 1000)),
      }
  }
}
