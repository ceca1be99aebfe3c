import type { ProgramClass } from '../contract/programs.ts'
import type { RateReading } from '../service/headers.ts'

/** A request from a program. The door (the gateway's HTTP server) assigns its `id` and never reuses one. */
export interface OfferedRequest {
  readonly id: number
  readonly program: string
  readonly class: ProgramClass
  /** Weight relative to the other programs of the same class, above 0. */
  readonly weight: number
  /** The bucket that counts the request: its category, or its path if the category is unknown. */
  readonly bucket: string
  /** How long the request may wait for its turn (RFC 7240, `Prefer: wait`). */
  readonly maxWaitMs: number
  /**
   * Equal for requests that can share one response: method, path and query, Accept and Accept-Encoding.
   * Absent if the request can't share a response.
   */
  readonly sameAs?: string
  /** Position among the requests of its program. Default: the order in which they are offered. */
  readonly order?: number
}

/**
 * Outcome of an upstream request, reported when its status and headers arrive.
 *
 * `rate`: the response's quota headers. `bucket`: the bucket that these headers name. A 429 for lack of a
 * stream slot is an `answer`.
 */
export type UpstreamOutcome =
  | ({ readonly kind: 'answer' } & QuotaInHeaders)
  /** A 429 for the request rate, or a 429 that names no quota. */
  | ({ readonly kind: 'rate-limited'; readonly of: 'rate' | 'unattributed' } & QuotaInHeaders)
  /** A 401. */
  | ({ readonly kind: 'unauthorized' } & QuotaInHeaders)
  /** The connection closed before the first byte of the response. The request may have been counted. */
  | { readonly kind: 'cut' }
  /** A response began but cannot be relayed. The response head is incomplete, or is not HTTP. */
  | { readonly kind: 'broken' }
  /** Timed out without a response. */
  | { readonly kind: 'timeout' }
  /** The request certainly never reached the service. */
  | { readonly kind: 'not-sent' }

interface QuotaInHeaders {
  readonly rate?: RateReading
  readonly bucket?: string
}

/**
 * - `too-late`: the request's turn would come after its maximum wait.
 * - `queue-full`: too many requests of this program, or of all programs together, are waiting.
 * - `empty`: the request must not wait, and its quota is empty.
 * - `unavailable`: no request can be sent (no token, sign-in needed, shutting down).
 */
export type RefusalReason = 'too-late' | 'queue-full' | 'empty' | 'unavailable'

/** Why a request got no response. */
export type FailureReason = 'cut' | 'broken' | 'timeout' | 'not-sent'

/**
 * An instruction to the door (the gateway's HTTP server). `request` and `requests` are ids of offered
 * requests. `upstream` identifies an upstream request by the id of the first request that it serves.
 *
 * Each offered request ends in one `answer`, `refuse` or `fail`, unless it was dropped.
 */
export type Decision =
  /** Send the request now. `isResend`: the service may have seen it before. */
  | {
      readonly kind: 'send'
      readonly upstream: number
      readonly requests: readonly number[]
      readonly isResend: boolean
    }
  /** Queue the request. If `upstream` already serves another request, both share `upstream`. */
  | { readonly kind: 'wait'; readonly request: number; readonly upstream: number }
  /** Let the request share an upstream request that has already been sent. */
  | { readonly kind: 'join'; readonly request: number; readonly upstream: number }
  /** Decline the request. `retryAfterSeconds` is at least 1. `rate`: the bucket's quota headers, if known. */
  | {
      readonly kind: 'refuse'
      readonly request: number
      readonly why: RefusalReason
      readonly retryAfterSeconds?: number
      readonly rate?: RateReading
    }
  /** Relay the upstream response unchanged to these requests. */
  | { readonly kind: 'answer'; readonly upstream: number; readonly requests: readonly number[] }
  /**
   * Get an access token newer than the rejected one and call `refreshed`. Do not relay the 401 before that.
   */
  | { readonly kind: 'refresh'; readonly upstream: number }
  | {
      readonly kind: 'fail'
      readonly upstream: number
      readonly requests: readonly number[]
      readonly why: FailureReason
    }
  /**
   * No request still waits for this upstream response, so the upstream request may be aborted. Its outcome
   * must still be reported.
   */
  | { readonly kind: 'abandon'; readonly upstream: number }
