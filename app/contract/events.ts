import { z } from 'zod/mini'
import { deskRefusalCode } from './desk.ts'
import { type Immutable, number, openObject, optionalNumber, optionalText, text } from './fields.ts'
import { command, push } from './ipc.ts'
import { resolvedState } from './orders.ts'
import { streamKind, streamProposal } from './streams.ts'

const refreshFailure = z.enum(['refused', 'misconfigured', 'later', 'not-sent', 'malformed', 'unknown'])

/** Why a refresh failed. */
export type RefreshFailure = z.output<typeof refreshFailure>

/** `seq` grows by one with each event of a running app. `at` is epoch ms. */
const logged = { seq: number, at: number, profile: text }
const stream = { stream: text, category: text, streamKind, target: text }
const ofStream = { ...stream, reason: text }

const ofCondition = {
  /**
   * Id of the condition that the event begins, repeats or ends. Absent for events without duration and in
   * older histories.
   */
  id: optionalText,
  /** How often the condition has occurred, this time included. Absent for the first occurrence. */
  count: optionalNumber,
}

const event = <K extends string, F extends z.core.$ZodShape>(kind: K, fields: F) =>
  openObject({ kind: z.literal(kind), ...logged, ...ofCondition, ...fields })

/** An event of an order. `id` identifies the order's journal entry and groups the order's events. */
const orderEvent = <K extends string, F extends z.core.$ZodShape>(kind: K, fields: F) =>
  openObject({ kind: z.literal(kind), ...logged, id: text, count: optionalNumber, ...fields })

/** Fields that distinguish conditions of one kind. */
interface Named {
  readonly kind: string
  readonly category?: string
  readonly host?: string
  readonly stream?: string
  readonly status?: number
  readonly failure?: string
  readonly unsaved?: string
}

/**
 * Lasting conditions, by the kind of event that reports them.
 *
 * - `name`: the kind of condition (app/conditions/kinds.ts), if it has one.
 * - `of`: the subject of the condition.
 * - `news`: fields whose changes are reported while the condition lasts. `each` reports every occurrence.
 */
export const BEGINS = {
  'rate-limited': { name: 'rate-limited', of: ({ category = '' }: Named) => category, news: 'each' },
  'quota-short': { name: 'running-out', of: ({ category = '' }: Named) => category, news: ['state'] },
  'slots-exhausted': { name: 'slots-full', of: ({ category = '' }: Named) => category, news: 'each' },
  'requests-refused': { name: 'no-number', of: wholeOrRow, news: ['status', 'alone'] },
  elsewhere: { name: 'others', of: ({ category = '' }: Named) => category, news: [] },
  'service-unreachable': { name: 'service-unreachable', of: ({ host = '' }: Named) => host, news: [] },
  'stream-silent': { name: 'streams-silent', of: ({ stream: id = '' }: Named) => id, news: [] },
  // A storage problem is a lasting condition if the history can't be written or a token can't be stored.
  // Other storage problems are single events.
  'storage-problem': {
    name: 'storage',
    of: ({ failure, unsaved }: Named) => unsaved ?? (failure === undefined ? undefined : ''),
    news: ['failure'],
  },
  // These three kinds share one condition, because a key's tokens have one problem at a time. For example, a
  // failed refresh may become a required sign-in.
  'token-refresh-failed': { name: 'tokens', of: () => '', news: 'each' },
  'sign-in-required': { name: 'tokens', of: () => '', news: 'each' },
  'revoke-unconfirmed': { name: 'tokens', of: () => '', news: 'each' },
  'desk-alone': { name: 'desk-unreachable', of: () => '', news: ['refusal', 'reachable'] },
} as const

/** Kinds of events that end a condition, each with the kind that began the condition. */
export const ENDS = {
  'rate-limit-over': 'rate-limited',
  'quota-short-ended': 'quota-short',
  'slots-free': 'slots-exhausted',
  'requests-answered': 'requests-refused',
  'elsewhere-ended': 'elsewhere',
  'service-back': 'service-unreachable',
  'stream-resumed': 'stream-silent',
  'stream-closed': 'stream-silent',
  'storage-ok': 'storage-problem',
  'token-refreshed': 'token-refresh-failed',
  'signed-in': 'sign-in-required',
  revoked: 'revoke-unconfirmed',
  'desk-back': 'desk-alone',
} as const

/**
 * Whether an HTTP status concerns all requests of the key. A 401 means a rejected token, a 5xx a failing
 * service.
 */
export const isOfWholeKey = (status: number): boolean => status === 401 || status >= 500

/** The subject of a failed response: the status if it concerns all rows, otherwise the row. */
function wholeOrRow({ status = 0, category = '' }: Named): string {
  return isOfWholeKey(status) ? String(status) : category
}

/** A row's level just before a 429, and the requests in the minute before the 429. */
const beforeRefusal = openObject({
  limit: number,
  /** Bounds of the requests left. */
  low: number,
  high: number,
  /** Own requests in the last 60 s. */
  own: number,
  /** Bounds of others' estimated requests in the last 60 s. Absent if unknown. */
  othersLow: optionalNumber,
  othersHigh: optionalNumber,
})

export type BeforeRefusal = Immutable<z.output<typeof beforeRefusal>>

const shortState = z.enum(['low', 'running-out', 'empty'])

/**
 * Set if the problem is that the refresh token could not be stored. Absent if the history could not be
 * written.
 */
const unsaved = z.exactOptional(z.literal('refresh-token'))

/** States of a row in which its quota is running short. */
export type ShortState = z.output<typeof shortState>

/** One schema per kind. Fields are never removed. */
export const eventSchemas = [
  event('token-refreshed', {
    rotated: z.boolean(),
    expiresAt: number,
    /** From request to response, in milliseconds. */
    tookMs: optionalNumber,
  }),
  event('token-refresh-failed', {
    outcome: refreshFailure,
    /** The reason, in plain words. */
    why: optionalText,
    retryAt: optionalNumber,
  }),
  /** A person signed in again with a connected key. */
  event('signed-in', {}),
  event('sign-in-required', { reason: text, cause: z.exactOptional(z.literal('misconfigured')) }),
  /**
   * The session of a rotating key ends at `endsAt`, 24 hours after the sign-in (service 8.4). Reported 60 and
   * 15 minutes before that time.
   */
  event('sign-in-due', { endsAt: number }),
  event('revoked', {}),
  event('revoke-unconfirmed', { reason: text, retryAt: optionalNumber }),
  event('service-unreachable', {
    host: text,
    /** Set if calls go to this host. Absent for a host that only renews tokens, and in older histories. */
    serves: z.exactOptional(z.literal('calls')),
    /** The reason, in plain words, such as "the certificate is not trusted". */
    why: optionalText,
    retryAt: optionalNumber,
  }),
  event('service-back', { host: text }),
  /**
   * `failure` says why the history can't be written. `unsaved` means that the refresh token is only in
   * memory. Any other problem has neither field.
   */
  event('storage-problem', { what: text, failure: optionalText, unsaved }),
  /**
   * The history can be written again, or the token is stored. `since` is the time of the first failed
   * attempt, epoch ms.
   */
  event('storage-ok', { since: number, unsaved }),
  /** A browser window connected with a code. `open` counts the connected windows, this one included. */
  event('window-admitted', { window: text, open: number }),
  event('rate-limited', {
    category: text,
    retryAt: number,
    /**
     * Guessed time of the next attempt, set while others use the whole refill. `retryAt` then has the same
     * value.
     */
    nextTryAt: optionalNumber,
    requestId: optionalText,
    before: z.exactOptional(beforeRefusal),
  }),
  /**
   * A row's first response other than 429 after one or more 429s. `since` is the first 429, epoch ms.
   * `refused` counts the 429s.
   */
  event('rate-limit-over', { category: text, since: number, refused: number }),
  /**
   * A row became low, began to run out, or became empty. The state lasts until the row's next `quota-short`
   * or `quota-short-ended`.
   */
  event('quota-short', {
    category: text,
    state: shortState,
    limit: number,
    /** Whole requests left at the time of the event. */
    remaining: number,
    /** Earliest time at which the quota runs out, epoch ms. Absent if unknown. */
    emptyAt: optionalNumber,
    /** Range of others' use at the time of the event, in requests per second. Absent if unknown. */
    othersLow: optionalNumber,
    othersHigh: optionalNumber,
    /** Refill in requests per second. Absent for a fixed window. */
    refill: optionalNumber,
  }),
  /**
   * A row is no longer low, running out or empty. `state` is the last of these states, and `since` is when
   * that state began, epoch ms.
   */
  event('quota-short-ended', { category: text, state: shortState, since: number }),
  /**
   * Responses have no quota headers. Either the requests were rejected, or something other than the service
   * answered.
   *
   * A 401 and each 5xx status are reported once per key. Any other status is reported once per row.
   * `category` is the first affected row.
   */
  event('requests-refused', {
    category: text,
    status: number,
    message: optionalText,
    /** Set if a 401 affects a single row and the token works for another row. */
    alone: z.exactOptional(z.literal(true)),
  }),
  /** Responses have quota headers again. `since` is when the failures began, epoch ms. */
  event('requests-answered', { category: text, status: number, since: number }),
  event('slots-exhausted', {
    category: text,
    requestId: optionalText,
    /** One of Headroom's own streams, which could be closed to free a slot. */
    proposal: z.exactOptional(streamProposal),
  }),
  event('stream-opened', ofStream),
  event('stream-restarted', {
    ...ofStream,
    /** When the stream's former connection ended or received GoAway, epoch ms. */
    since: optionalNumber,
    /** Whether the former connection received data until the new one opened. If so, no data was missed. */
    overlapped: z.exactOptional(z.boolean()),
  }),
  event('stream-closed', ofStream),
  /**
   * Streams of this category no longer wait for a slot. `since` is the time of the first 429 for lack of a
   * slot, epoch ms.
   */
  event('slots-free', { category: text, since: number }),
  /**
   * An open stream receives nothing, not even heartbeats. Reported once. `since`: time of its last frame,
   * epoch ms.
   */
  event('stream-silent', { ...stream, since: number }),
  /** The stream receives data again, on the same connection or a new one. */
  event('stream-resumed', { ...stream, since: number }),
  /** Others began to use a quota. Not reported again before `elsewhere-ended`. */
  event('elsewhere', { category: text, perSecond: number }),
  /** Others stopped using a quota. `since` is when they started, epoch ms. `perSecond` is their mean rate. */
  event('elsewhere-ended', { category: text, perSecond: number, since: number }),
  /**
   * The gateway declined a program's request, because the request would have waited too long.
   *
   * Reported at most once a minute per program and category.
   */
  event('program-refused', { program: text, category: text, retryAt: optionalNumber }),
  event('program-cut', { program: text }),
  /** The machine `name` joined the desk, left it, or stopped responding (`desk-member-lost`). */
  event('desk-member-joined', { name: text }),
  event('desk-member-left', { name: text }),
  event('desk-member-lost', { name: text }),
  /** The machine `name` dispatches the queue of the desk from now on. */
  event('desk-dispatcher', { name: text }),
  /**
   * This machine works alone, usually because it can't reach the desk's server. With `reachable`, the server
   * responds, but this machine gets no turns: no machine dispatches, or its messages are too slow. With
   * `refusal`, the desk refused this machine.
   */
  event('desk-alone', {
    why: text,
    reachable: z.exactOptional(z.literal(true)),
    refusal: z.exactOptional(deskRefusalCode),
  }),
  /**
   * This machine is on the desk again, or left it despite the problem (`left`). `since`: when the last
   * reported problem began, epoch ms.
   */
  event('desk-back', { since: number, left: z.exactOptional(z.literal(true)) }),
  event('gateway-on', { url: text }),
  event('gateway-off', { why: text }),
  /** A person allowed orders, or orders resumed after a failure had stopped them. */
  event('orders-allowed', {}),
  /** A person stopped orders, or orders can't be recorded. */
  event('orders-stopped', { why: text }),
  orderEvent('order-unknown', { program: text }),
  /** The result of the lookup of an order. `orderId` is the service's id, if found. */
  orderEvent('order-resolved', { state: resolvedState, orderId: optionalText }),
] as const

export const loggedEvent = z.discriminatedUnion('kind', eventSchemas)

/** An event as stored and pushed. */
export type LoggedEvent = Immutable<z.output<typeof loggedEvent>>

type OmitFromEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** An event without the fields that the log adds. */
export type MonitorEvent = OmitFromEach<LoggedEvent, keyof typeof logged>

/** Fields that the tracker adds to the report that a condition has ended. */
type Known = 'id' | 'count' | 'since' | 'refused' | 'state'
type OnlyEnd = Exclude<
  keyof typeof ENDS,
  'service-back' | 'stream-closed' | 'token-refreshed' | 'signed-in' | 'revoked'
>

/**
 * A report to the tracker: an observation, or the end of a condition. An observation is reported every time,
 * even if nothing changed. The tracker adds the fields `Known` to the report of an end.
 */
export type KeyReport =
  | Exclude<MonitorEvent, { kind: OnlyEnd }>
  | OmitFromEach<Extract<MonitorEvent, { kind: OnlyEnd }>, Known>

export const eventsContract = {
  /** Stored events with a `seq` above `after`, oldest first, at most 500. */
  events: command(z.strictObject({ after: z.int().check(z.gte(0)) })).returning<readonly LoggedEvent[]>(),

  eventHappened: push<LoggedEvent>(),
} as const
