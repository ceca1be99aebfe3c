/**
 * The X-RateLimit headers of one response (service 2.2). A field is absent if its header is missing or
 * implausible.
 */
export interface RateReading {
  readonly limit?: number
  readonly periodSeconds?: number
  readonly remaining?: number
  /** Seconds until full, never an epoch time. */
  readonly resetSeconds?: number
  readonly resource?: string
}

/**
 * The X-Concurrency headers of one response (service 2.2). A field is absent if its header is missing or
 * implausible.
 */
export interface ConcurrencyReading {
  readonly limit?: number
  readonly remaining?: number
  readonly resource?: string
}

export interface HeaderReading {
  readonly rate?: RateReading
  readonly concurrency?: ConcurrencyReading
  readonly requestId?: string
  /** Implausible headers, as `name: reason`. Their values are never included. */
  readonly oddities: readonly string[]
}

/** The head of one response: status, headers, and the parsed quota headers. */
export interface Observation extends HeaderReading {
  readonly status: number
  readonly headers: HttpHeaders
}

/** Reads the head of a response. Header names are in lower case. */
export function observe(status: number, headers: HttpHeaders): Observation {
  return { status, headers, ...readHeaders(headers) }
}

/** A count, or a number of seconds. Some gateways add a fraction. */
const NUMBER = /^\d{1,9}(?:\.\d{1,9})?$/
const MAX_REQUESTS = 10_000_000
const MAX_PERIOD_SECONDS = 7 * 86_400
/** Reset may exceed Period by this, because a service may round Reset up and Period down. Seconds. */
const ROUNDING_SECONDS = 1
const MAX_NAME = 64

/**
 * Parses the quota headers of any response (service 2.2). Implausible values are left out, and no error is
 * thrown.
 *
 * `Reset` is in seconds and at most the period: a rolling interval refills within one period, and a fixed
 * window lasts one period (service 8.3.1, 8.3.5). A greater value would show a window that does not exist. An
 * epoch time would block a bucket for decades. Fractions are rounded cautiously: counts down, seconds up.
 */
export function readHeaders(headers: HttpHeaders): HeaderReading {
  const oddities: string[] = []
  const number = (name: string, least: number, most: number, round: (value: number) => number) => {
    const raw = headers[name]
    if (raw === undefined) return undefined
    const text = raw.trim()
    const value = NUMBER.test(text) ? round(Number(text)) : Number.NaN
    if (value >= least && value <= most) return value
    oddities.push(`${name}: ${notPlausible(text, value)}`)
    return undefined
  }
  const count = (name: string, least: number, most: number) => number(name, least, most, Math.floor)
  const seconds = (name: string, least: number, most: number) => number(name, least, most, Math.ceil)
  const name = (header: string): string | undefined => {
    const text = headers[header]?.trim()
    return text ? text.slice(0, MAX_NAME) : undefined
  }

  const limit = count('x-ratelimit-limit', 1, MAX_REQUESTS)
  const periodSeconds = seconds('x-ratelimit-period', 1, MAX_PERIOD_SECONDS)
  const remaining = count('x-ratelimit-remaining', 0, limit ?? MAX_REQUESTS)
  const resetSeconds = seconds(
    'x-ratelimit-reset',
    0,
    (periodSeconds ?? MAX_PERIOD_SECONDS) + ROUNDING_SECONDS,
  )
  const rate = withDefined({
    limit,
    periodSeconds,
    remaining,
    resetSeconds,
    resource: name('x-ratelimit-resource'),
  })

  const slots = count('x-concurrency-limit', 1, MAX_REQUESTS)
  const concurrency = withDefined({
    limit: slots,
    remaining: count('x-concurrency-remaining', 0, slots ?? MAX_REQUESTS),
    resource: name('x-concurrency-resource'),
  })
  const requestId = name('x-ts-request-id')
  return {
    ...(rate && { rate }),
    ...(concurrency && { concurrency }),
    ...(requestId !== undefined && { requestId }),
    oddities,
  }
}

const DIGITS = /^\d+$/
/** An epoch time in seconds or milliseconds, from 2001 to 2286. */
const EPOCH = /^[1-9]\d{9}(?:\d{3})?$/

/** Why a header's value is implausible. */
function notPlausible(text: string, value: number): string {
  if (EPOCH.test(text)) return 'an epoch time, not a count'
  return Number.isNaN(value) && !DIGITS.test(text) ? 'not a number' : 'out of range'
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The entries that have a value. `undefined` if all values are missing. */
function withDefined<T extends Record<string, unknown>>(entries: T): Defined<T> | undefined {
  let kept: Record<string, unknown> | undefined
  for (const name in entries) {
    if (entries[name] === undefined) continue
    kept ??= {}
    kept[name] = entries[name]
  }
  return kept as Defined<T> | undefined
}

/** Header names in lower case. */
export type HttpHeaders = Readonly<Record<string, string>>

/**
 * The outcome of a request.
 * - `not-sent`: no byte can have reached the service.
 * - `unknown`: the response was lost, and the service may have acted, for example rotated a token.
 */
export type HttpOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: HttpHeaders; readonly body: string }
  | { readonly kind: 'not-sent'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string }
