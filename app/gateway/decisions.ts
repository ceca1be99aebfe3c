import type { ProgramClass } from '../contract/programs.ts'
import type { RateReading } from '../service/headers.ts'

/** A request of a program. Its `id` is the door's, and never used again. */
export interface OfferedRequest {
  readonly id: number
  readonly program: string
  readonly class: ProgramClass
  /** Share among the programs of its class, above 0. */
  readonly weight: number
  /** Which bucket counts it, as far as is known: a category, else the path. */
  readonly bucket: string
  /** How long it may wait for its turn (RFC 7240, `Prefer: wait`). */
  readonly patienceMs: number
  /** Equal for requests that one answer serves: method, path and query, Accept and Accept-Encoding. Absent: never shared. */
  readonly sameAs?: string
}

/**
 * What became of a request upstream, told once its status and headers are there.
 *
 * `rate` are its quota headers, `bucket` the one that they name. A 429 of a stream slot is an `answer`.
 */
export type UpstreamOutcome =
  | { readonly kind: 'answer'; readonly rate?: RateReading; readonly bucket?: string }
  /** A 429: of the rate quota, or one that does not say of what. */
  | {
      readonly kind: 'rate-limited'
      readonly of: 'rate' | 'unsaid'
      readonly rate?: RateReading
      readonly bucket?: string
    }
  /** A 401. */
  | { readonly kind: 'unauthorized'; readonly rate?: RateReading; readonly bucket?: string }
  /** The connection ended before a byte of the answer: it may have been counted. */
  | { readonly kind: 'cut' }
  /** An answer began that cannot be passed on: it was cut within its head, or is not HTTP. */
  | { readonly kind: 'broken' }
  /** Given up without an answer. */
  | { readonly kind: 'timeout' }
  /** It certainly never reached the service. */
  | { readonly kind: 'not-sent' }

/**
 * - `too-late`: its turn comes after its patience.
 * - `queue-full`: too many wait, and it is the newest of the program with most waiting.
 * - `unavailable`: nothing can be sent (no token, sign-in needed, shutting down).
 */
export type RefusalReason = 'too-late' | 'queue-full' | 'unavailable'

/** Why a request that was sent has no answer. */
export type FailureReason = 'cut' | 'broken' | 'timeout' | 'not-sent'

/**
 * What the door is to do. `upstream` is the id of a request upstream, which is that of the first request it was made for;
 * `request` and `requests` are ids as offered. Each request offered ends in one `answer`, `refuse` or `fail`, unless it was
 * dropped.
 */
export type Decision =
  /** Send it now. `isResend`: the service may have seen it before. */
  | {
      readonly kind: 'send'
      readonly upstream: number
      readonly requests: readonly number[]
      readonly isResend: boolean
    }
  /** It waits, until `turnAtMs` as far as is known. With another one's `upstream` it shares that. */
  | {
      readonly kind: 'wait'
      readonly request: number
      readonly upstream: number
      readonly turnAtMs: number
    }
  /** It shares a request that is upstream already. */
  | { readonly kind: 'join'; readonly request: number; readonly upstream: number }
  /** Refuse it. `retryAfterSeconds` is at least 1; `rate` the fields of the bucket, where known. */
  | {
      readonly kind: 'refuse'
      readonly request: number
      readonly why: RefusalReason
      readonly retryAfterSeconds?: number
      readonly rate?: RateReading
    }
  /** Pass the upstream answer on to these as it came. */
  | { readonly kind: 'answer'; readonly upstream: number; readonly requests: readonly number[] }
  /** Get another access token than the one it was sent with, keep its 401, and tell by `refreshed`. */
  | { readonly kind: 'refresh'; readonly upstream: number }
  | {
      readonly kind: 'fail'
      readonly upstream: number
      readonly requests: readonly number[]
      readonly why: FailureReason
    }
  /** No request is left that its answer is for: it may be aborted. Its outcome is still to be told. */
  | { readonly kind: 'abandon'; readonly upstream: number }
