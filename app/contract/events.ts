import { z } from 'zod/mini'
import { type Immutable, number, openObject, optionalNumber, optionalText, text } from './fields.ts'
import { command, push } from './ipc.ts'
import { streamKind, streamProposal } from './streams.ts'

const refreshFailure = z.enum(['refused', 'misconfigured', 'later', 'not-sent', 'malformed', 'unknown'])

/** Outcome classes of a refresh that did not renew. */
export type RefreshFailure = z.output<typeof refreshFailure>

/** `seq` grows by one per event of one running app; `at` is epoch ms. */
const logged = { seq: number, at: number, profile: text }
const stream = { stream: text, category: text, streamKind, target: text }
const ofStream = { ...stream, reason: text }

const ofCondition = {
  /**
   * Of the condition that this event begins, repeats or ends; absent of what does not last, and in older
   * histories.
   */
  id: optionalText,
  /** How often it was seen so far; absent for once. */
  count: optionalNumber,
}

const event = <K extends string, F extends z.core.$ZodShape>(kind: K, fields: F) =>
  openObject({ kind: z.literal(kind), ...logged, ...ofCondition, ...fields })

/** The fields that tell things of one kind apart. */
interface Named {
  readonly category?: string
  readonly host?: string
  readonly stream?: string
  readonly status?: number
}

/**
 * What lasts, by the kind that reports it. The name is that of its condition (app/conditions/kinds.ts), where
 * it is one; `of`: what it is about; `news`: the fields whose change is told while it lasts, or `each` for a
 * report that has a request or an attempt of its own.
 */
export const BEGINS = {
  'rate-limited': { name: 'rate-limited', of: ({ category = '' }: Named) => category, news: 'each' },
  'quota-short': { name: 'running-out', of: ({ category = '' }: Named) => category, news: ['state'] },
  'slots-exhausted': { name: 'slots-full', of: ({ category = '' }: Named) => category, news: 'each' },
  'requests-refused': { name: 'no-number', of: wholeOrRow, news: ['status'] },
  elsewhere: { name: 'others', of: ({ category = '' }: Named) => category, news: [] },
  'service-unreachable': { name: 'service-unreachable', of: ({ host = '' }: Named) => host, news: [] },
  'stream-silent': { name: 'streams-silent', of: ({ stream: id = '' }: Named) => id, news: [] },
  // The tokens of a key have one trouble at a time, which grows from a failed refresh to a sign-in.
  'token-refresh-failed': { name: 'tokens', of: () => '', news: 'each' },
  'sign-in-required': { name: 'tokens', of: () => '', news: 'each' },
  'revoke-unconfirmed': { name: 'tokens', of: () => '', news: 'each' },
} as const

/** The kinds that end what another began, and which. */
export const ENDS = {
  'rate-limit-over': 'rate-limited',
  'quota-short-ended': 'quota-short',
  'slots-free': 'slots-exhausted',
  'requests-answered': 'requests-refused',
  'elsewhere-ended': 'elsewhere',
  'service-back': 'service-unreachable',
  'stream-resumed': 'stream-silent',
  'stream-closed': 'stream-silent',
  'token-refreshed': 'token-refresh-failed',
  'signed-in': 'sign-in-required',
  revoked: 'revoke-unconfirmed',
} as const

/** Whether a status concerns every request of the key: a rejected token, or a service that fails. */
export const isOfWholeKey = (status: number): boolean => status === 401 || status >= 500

/** A 401 and a 5xx concern all rows; any other status is of its row. */
function wholeOrRow({ status = 0, category = '' }: Named): string {
  return isOfWholeKey(status) ? String(status) : category
}

/** What was known of a row when a 429 came: its level, and the requests of the minute before. */
const beforeRefusal = openObject({
  limit: number,
  /** Requests left, as bounds. */
  low: number,
  high: number,
  /** Own requests in the last 60 s. */
  own: number,
  /** Requests of others in the last 60 s, as bounds of an estimate; absent where their use was not known. */
  othersLow: optionalNumber,
  othersHigh: optionalNumber,
})

export type BeforeRefusal = Immutable<z.output<typeof beforeRefusal>>

const shortState = z.enum(['low', 'running-out', 'empty'])

/** The states of a row in which its quota is short. */
export type ShortState = z.output<typeof shortState>

/** One schema for each kind. A field that a kind was given later is kept. */
export const eventSchemas = [
  event('token-refreshed', {
    rotated: z.boolean(),
    expiresAt: number,
    /** From asking to the answer, in milliseconds. */
    tookMs: optionalNumber,
  }),
  event('token-refresh-failed', {
    outcome: refreshFailure,
    /** In plain words. */
    why: optionalText,
    retryAt: optionalNumber,
  }),
  /** A person signed in again to a key that is connected. */
  event('signed-in', {}),
  event('sign-in-required', { reason: text, cause: z.exactOptional(z.literal('misconfigured')) }),
  /**
   * The 24 hours of a rotating key (service 8.4) end `at` this instant: told an hour ahead and a quarter of
   * an hour ahead.
   */
  event('sign-in-due', { endsAt: number }),
  event('revoked', {}),
  event('revoke-unconfirmed', { reason: text, retryAt: optionalNumber }),
  event('service-unreachable', {
    host: text,
    /** In plain words, as in "the certificate is not trusted". */
    why: optionalText,
    retryAt: optionalNumber,
  }),
  event('service-back', { host: text }),
  event('storage-problem', { what: text }),
  /** A browser window connected with a code; `open` counts those that were, this one included. */
  event('window-admitted', { window: text, open: number }),
  event('rate-limited', {
    category: text,
    retryAt: number,
    /**
     * Where others use the whole refill: when it is tried next, with no promise. `retryAt` is the same then.
     */
    nextTryAt: optionalNumber,
    requestId: optionalText,
    before: z.exactOptional(beforeRefusal),
  }),
  /**
   * The first answer of a row that is no 429, after one or more. `since`: its first 429, epoch ms; `refused`:
   * how many.
   */
  event('rate-limit-over', { category: text, since: number, refused: number }),
  /**
   * A row became low, began to run out, or became empty: from here until the next of these two events on its
   * row.
   */
  event('quota-short', {
    category: text,
    state: shortState,
    limit: number,
    /** Whole requests left at that moment. */
    remaining: number,
    /** When it is empty at the earliest, epoch ms; absent where that cannot be told. */
    emptyAt: optionalNumber,
    /**
     * Others' use then, requests per second, as the interval it is known in; absent where it was not known.
     */
    othersLow: optionalNumber,
    othersHigh: optionalNumber,
    /** Requests per second that come back; absent of a fixed window. */
    refill: optionalNumber,
  }),
  /**
   * The row is in none of these states any more. `since`: when it came into `state`, the last of them, epoch
   * ms.
   */
  event('quota-short-ended', { category: text, state: shortState, since: number }),
  /**
   * Requests are answered without a number: refused, or not by the service. Told once for a 401 and for each
   * 5xx, whatever the number of rows, and once for each row otherwise; `category` is the first row.
   */
  event('requests-refused', { category: text, status: number, message: optionalText }),
  /** Numbers come again. `since`: when the refusals began, epoch ms. */
  event('requests-answered', { category: text, status: number, since: number }),
  event('slots-exhausted', {
    category: text,
    requestId: optionalText,
    /** The own stream that could be given up for it. */
    proposal: z.exactOptional(streamProposal),
  }),
  event('stream-opened', ofStream),
  event('stream-restarted', {
    ...ofStream,
    /** When its former connection ended or was told to go away, epoch ms. */
    since: optionalNumber,
    /**
     * True where the former connection was heard until this one was open: nothing was missed between them.
     */
    overlapped: z.exactOptional(z.boolean()),
  }),
  event('stream-closed', ofStream),
  /** No stream waits for a slot of the group any more. `since`: the first 429 for want of one, epoch ms. */
  event('slots-free', { category: text, since: number }),
  /** An open stream brings nothing, not even a heartbeat. Told once; `since`: its last frame, epoch ms. */
  event('stream-silent', { ...stream, since: number }),
  /** It is heard again, on the same connection or on another. */
  event('stream-resumed', { ...stream, since: number }),
  /** Others began to use a quota. Told once; `elsewhere-ended` tells its end. */
  event('elsewhere', { category: text, perSecond: number }),
  /** Others stopped. `perSecond`: their mean rate from `since`, epoch ms, until they did. */
  event('elsewhere-ended', { category: text, perSecond: number, since: number }),
  /**
   * The gateway refused a request of a program: its turn comes after its patience. Told once a minute,
   * program and category.
   */
  event('program-refused', { program: text, category: text, retryAt: optionalNumber }),
  event('program-cut', { program: text }),
  event('gateway-on', { url: text }),
  event('gateway-off', { why: text }),
] as const

export const loggedEvent = z.discriminatedUnion('kind', eventSchemas)

/** An event as it is kept and pushed. */
export type LoggedEvent = Immutable<z.output<typeof loggedEvent>>

type OmitFromEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** What matters one by one. Events are never merged or dropped on the way to a window. */
export type MonitorEvent = OmitFromEach<LoggedEvent, keyof typeof logged>

/** What the tracker of conditions knows of an end, and adds to it. */
type Known = 'id' | 'count' | 'since' | 'refused' | 'state'
type OnlyEnd = Exclude<
  keyof typeof ENDS,
  'service-back' | 'stream-closed' | 'token-refreshed' | 'signed-in' | 'revoked'
>

/**
 * What a part of a key reports: a state each time it is seen, an end without what is known from the
 * beginning.
 */
export type KeyReport =
  | Exclude<MonitorEvent, { kind: OnlyEnd }>
  | OmitFromEach<Extract<MonitorEvent, { kind: OnlyEnd }>, Known>

/** What happened to the connected keys. */
export const eventsContract = {
  /** Kept events with a `seq` above `after`, oldest first, at most 500. */
  events: command(z.strictObject({ after: z.int().check(z.gte(0)) })).returning<readonly LoggedEvent[]>(),

  eventHappened: push<LoggedEvent>(),
} as const
