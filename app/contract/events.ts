import { z } from 'zod/mini'
import { deskRefusalCode } from './desk.ts'
import { type Immutable, number, openObject, optionalNumber, optionalText, text } from './fields.ts'
import { command, push } from './ipc.ts'
import { resolvedState } from './orders.ts'
import { streamKind, streamProposal } from './streams.ts'

const refreshFailure = z.enum(['refused', 'misconfigured', 'later', 'not-sent', 'malformed', 'unknown'])

/** Why a refresh failed. */
export type RefreshFailure = z.output<typeof refreshFailure>

/** `seq` grows by one per event of one running app; `at` is epoch ms. */
const logged = { seq: number, at: number, profile: text }
const stream = { stream: text, category: text, streamKind, target: text }
const ofStream = { ...stream, reason: text }

const ofCondition = {
  /**
   * Id of the condition that this event begins, repeats or ends; absent for events without duration, and in
   * older histories.
   */
  id: optionalText,
  /** How often the event has occurred so far; absent if only once. */
  count: optionalNumber,
}

const event = <K extends string, F extends z.core.$ZodShape>(kind: K, fields: F) =>
  openObject({ kind: z.literal(kind), ...logged, ...ofCondition, ...fields })

/** An event about an order. `id`: the order's entry in the journal, so that its events share a line. */
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
 * Lasting conditions, by the kind of event that reports them. `name`: the kind of condition
 * (app/conditions/kinds.ts), if it has one. `of`: its subject. `news`: fields whose changes are reported
 * while it lasts; `each` if every report is a request or attempt of its own and is therefore reported.
 */
export const BEGINS = {
  'rate-limited': { name: 'rate-limited', of: ({ category = '' }: Named) => category, news: 'each' },
  'quota-short': { name: 'running-out', of: ({ category = '' }: Named) => category, news: ['state'] },
  'slots-exhausted': { name: 'slots-full', of: ({ category = '' }: Named) => category, news: 'each' },
  'requests-refused': { name: 'no-number', of: wholeOrRow, news: ['status', 'alone'] },
  elsewhere: { name: 'others', of: ({ category = '' }: Named) => category, news: [] },
  'service-unreachable': { name: 'service-unreachable', of: ({ host = '' }: Named) => host, news: [] },
  'stream-silent': { name: 'streams-silent', of: ({ stream: id = '' }: Named) => id, news: [] },
  // Lasts only if the history can't be written or a token can't be stored. Any other storage problem is a
  // single event.
  'storage-problem': {
    name: 'storage',
    of: ({ failure, unsaved }: Named) => unsaved ?? (failure === undefined ? undefined : ''),
    news: ['failure'],
  },
  // A key's tokens have one problem at a time, which may escalate from a failed refresh to a required
  // sign-in.
  'token-refresh-failed': { name: 'tokens', of: () => '', news: 'each' },
  'sign-in-required': { name: 'tokens', of: () => '', news: 'each' },
  'revoke-unconfirmed': { name: 'tokens', of: () => '', news: 'each' },
  'desk-alone': { name: 'desk-unreachable', of: () => '', news: ['refusal'] },
} as const

/** Kinds of events that end another kind. */
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

/** Whether a status concerns all requests of the key: a rejected token, or a failing service. */
export const isOfWholeKey = (status: number): boolean => status === 401 || status >= 500

/** A 401 or 5xx concerns all rows; any other status concerns its row. */
function wholeOrRow({ status = 0, category = '' }: Named): string {
  return isOfWholeKey(status) ? String(status) : category
}

/** A row just before a 429: its level, and the requests in the minute before. */
const beforeRefusal = openObject({
  limit: number,
  /** Requests left, as bounds. */
  low: number,
  high: number,
  /** Own requests in the last 60 s. */
  own: number,
  /** Others' requests in the last 60 s, as bounds of an estimate; absent if unknown. */
  othersLow: optionalNumber,
  othersHigh: optionalNumber,
})

export type BeforeRefusal = Immutable<z.output<typeof beforeRefusal>>

const shortState = z.enum(['low', 'running-out', 'empty'])

/** Set if the refresh token, not the history, could not be stored. */
const unsaved = z.exactOptional(z.literal('refresh-token'))

/** States of a row in which its quota is running short. */
export type ShortState = z.output<typeof shortState>

/** One schema per kind. A field, once added, must stay. */
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
  /** A person signed in again to a connected key. */
  event('signed-in', {}),
  event('sign-in-required', { reason: text, cause: z.exactOptional(z.literal('misconfigured')) }),
  /** The 24 hours of a rotating key (service 8.4) end at `endsAt`. Reported 60 and 15 minutes before that. */
  event('sign-in-due', { endsAt: number }),
  event('revoked', {}),
  event('revoke-unconfirmed', { reason: text, retryAt: optionalNumber }),
  event('service-unreachable', {
    host: text,
    /** Whether calls go to this host; absent for a host that only renews tokens, and in older histories. */
    serves: z.exactOptional(z.literal('calls')),
    /** The reason, in plain words, such as "the certificate is not trusted". */
    why: optionalText,
    retryAt: optionalNumber,
  }),
  event('service-back', { host: text }),
  /**
   * `failure`: why the history can't be written (`pausedHistory`); `unsaved`: the refresh token is in memory
   * only. Both are absent for any other problem.
   */
  event('storage-problem', { what: text, failure: optionalText, unsaved }),
  /**
   * The history can be written again, or the token is saved. `since`: when the first attempt failed, epoch
   * ms.
   */
  event('storage-ok', { since: number, unsaved }),
  /** A browser window connected with a code. `open`: the number of connected windows, including this one. */
  event('window-admitted', { window: text, open: number }),
  event('rate-limited', {
    category: text,
    retryAt: number,
    /**
     * When to try next while others use the whole refill. This is a guess. `retryAt` then has the same value.
     */
    nextTryAt: optionalNumber,
    requestId: optionalText,
    before: z.exactOptional(beforeRefusal),
  }),
  /**
   * The first response of a row that is not a 429, after one or more 429s. `since`: the first of them, epoch
   * ms; `refused`: their number.
   */
  event('rate-limit-over', { category: text, since: number, refused: number }),
  /**
   * A row became low, began to run out, or became empty. Applies until the row's next `quota-short` or
   * `quota-short-ended`.
   */
  event('quota-short', {
    category: text,
    state: shortState,
    limit: number,
    /** Whole requests left at the time of the event. */
    remaining: number,
    /** Earliest time at which the quota runs out, epoch ms; absent if unknown. */
    emptyAt: optionalNumber,
    /** Range of others' use at the time of the event, requests per second; absent if unknown. */
    othersLow: optionalNumber,
    othersHigh: optionalNumber,
    /** Refill in requests per second; absent for a fixed window. */
    refill: optionalNumber,
  }),
  /** The row has left these states. `since`: when it entered the last of them, `state`; epoch ms. */
  event('quota-short-ended', { category: text, state: shortState, since: number }),
  /**
   * Responses have no quota headers: the requests were rejected, or something other than the service
   * answered. Reported once per key for a 401 and for each 5xx, otherwise once per row. `category`: the first
   * row.
   */
  event('requests-refused', {
    category: text,
    status: number,
    message: optionalText,
    /** Whether this is a 401 of a single row, while the token works for another row. */
    alone: z.exactOptional(z.literal(true)),
  }),
  /** Responses have quota headers again. `since`: when the failures began, epoch ms. */
  event('requests-answered', { category: text, status: number, since: number }),
  event('slots-exhausted', {
    category: text,
    requestId: optionalText,
    /** Headroom's own stream that could be closed to free a slot. */
    proposal: z.exactOptional(streamProposal),
  }),
  event('stream-opened', ofStream),
  event('stream-restarted', {
    ...ofStream,
    /** When the stream's former connection ended or received GoAway, epoch ms. */
    since: optionalNumber,
    /**
     * True if the former connection still received data until the new one opened, so that nothing was missed.
     */
    overlapped: z.exactOptional(z.boolean()),
  }),
  event('stream-closed', ofStream),
  /**
   * No stream waits for a slot of the group any more. `since`: the first 429 for lack of a slot, epoch ms.
   */
  event('slots-free', { category: text, since: number }),
  /**
   * An open stream receives nothing, not even a heartbeat. Reported once; `since`: its last frame, epoch ms.
   */
  event('stream-silent', { ...stream, since: number }),
  /** The stream receives data again, on the same or another connection. */
  event('stream-resumed', { ...stream, since: number }),
  /** Others began to use a quota. Reported once; `elsewhere-ended` reports the end. */
  event('elsewhere', { category: text, perSecond: number }),
  /** Others stopped. `perSecond`: their mean rate from `since`, epoch ms, to the end. */
  event('elsewhere-ended', { category: text, perSecond: number, since: number }),
  /**
   * The gateway declined a program's request: its turn would come after its maximum wait. Reported at most
   * once a minute per program and category.
   */
  event('program-refused', { program: text, category: text, retryAt: optionalNumber }),
  event('program-cut', { program: text }),
  /** `name`: the machine. It connected to the desk, left it, or stopped responding. */
  event('desk-member-joined', { name: text }),
  event('desk-member-left', { name: text }),
  event('desk-member-lost', { name: text }),
  /** This machine can't reach the desk's server. With `refusal`, it does not belong to the desk any more. */
  event('desk-alone', { why: text, refusal: z.exactOptional(deskRefusalCode) }),
  /** This machine is on the desk again. `since`: when the last reported problem began, epoch ms. */
  event('desk-back', { since: number }),
  event('gateway-on', { url: text }),
  event('gateway-off', { why: text }),
  /** A person allowed orders, or they resumed after `orders-stopped` by a failure. */
  event('orders-allowed', {}),
  /** A person stopped orders, or they can't be recorded. */
  event('orders-stopped', { why: text }),
  /** The outcome of an order is unknown. */
  orderEvent('order-unknown', { program: text }),
  /** The result of looking up an order. `orderId`: the service's id, if found. */
  orderEvent('order-resolved', { state: resolvedState, orderId: optionalText }),
] as const

export const loggedEvent = z.discriminatedUnion('kind', eventSchemas)

/** An event as stored and pushed. */
export type LoggedEvent = Immutable<z.output<typeof loggedEvent>>

type OmitFromEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/**
 * An event without the fields that the log adds. Events are never merged or dropped on the way to a window.
 */
export type MonitorEvent = OmitFromEach<LoggedEvent, keyof typeof logged>

/** Fields of an ending event that the tracker fills in. */
type Known = 'id' | 'count' | 'since' | 'refused' | 'state'
type OnlyEnd = Exclude<
  keyof typeof ENDS,
  'service-back' | 'stream-closed' | 'token-refreshed' | 'signed-in' | 'revoked'
>

/**
 * A report from a part of a key: a state, each time it is observed, or its end. The tracker fills in the
 * remaining fields of an end.
 */
export type KeyReport =
  | Exclude<MonitorEvent, { kind: OnlyEnd }>
  | OmitFromEach<Extract<MonitorEvent, { kind: OnlyEnd }>, Known>

/** Events of the connected keys. */
export const eventsContract = {
  /** Stored events with a `seq` above `after`, oldest first, at most 500. */
  events: command(z.strictObject({ after: z.int().check(z.gte(0)) })).returning<readonly LoggedEvent[]>(),

  eventHappened: push<LoggedEvent>(),
} as const
