import { z } from 'zod/mini'

/*
 * What the members of a desk send each other, before it is sealed. Ages are in milliseconds at the moment of
 * sending, because no clock is compared between machines. Rates are requests per second.
 */

/** Members with another version don't understand each other. */
export const DESK_PROTOCOL = 1

const text = z.string().check(z.maxLength(200))
const path = z.string().check(z.maxLength(1024))
const count = z.number().check(z.gte(0))
const age = z.number().check(z.gte(0))

const rateReading = z.strictObject({
  resource: z.exactOptional(text),
  limit: z.exactOptional(count),
  remaining: z.exactOptional(count),
  resetSeconds: z.exactOptional(count),
  periodSeconds: z.exactOptional(count),
})
const slotReading = z.strictObject({
  resource: z.exactOptional(text),
  limit: z.exactOptional(count),
  remaining: z.exactOptional(count),
})

const sent = z.strictObject({
  kind: z.literal('sent'),
  id: count,
  /** The category of the request if its path is known, otherwise the path. */
  endpoint: path,
  age,
})
/** How a request ended. `row`: the row that the sender charged; `sentAge`: when it was sent. */
const ended = { id: count, endpoint: path, sentAge: age, row: z.exactOptional(text) }
const answered = z.strictObject({
  kind: z.literal('answered'),
  ...ended,
  /** How long ago the header came. */
  age,
  rate: z.exactOptional(rateReading),
  /** For a 429 of the request rate: how much longer its row waits. */
  waitMs: z.exactOptional(count),
})
/** No response, or one without quota headers; `laterMs`: how long the service may still count the request. */
const lost = z.strictObject({ kind: z.literal('lost'), ...ended, laterMs: count })
const notSent = z.strictObject({ kind: z.literal('not-sent'), id: count })
/** A row was checked. */
const checked = z.strictObject({ kind: z.literal('checked'), category: text, age })
/** `own`: the sender's streams of a category; `reading`: what the header of one said of the slots. */
const slots = z.strictObject({
  kind: z.literal('slots'),
  category: text,
  own: count,
  reading: z.exactOptional(slotReading),
})

const observation = z.discriminatedUnion('kind', [sent, answered, lost, notSent, checked, slots])

/** One step of a member's request, in the order in which it happened. */
export type RequestStep = z.output<typeof observation>

const MAX_OBSERVATIONS = 2_000
const MAX_ROWS = 160
const perCategory = z.record(text, count)

/** What a member did since its run began, for those who missed some of it. */
const totals = {
  /** Requests that counted or may have counted, by row. */
  counted: perCategory,
  /** Own streams that hold a slot, by category. */
  streams: perCategory,
  /** The ids of requests without a response. */
  underWay: z.array(count).check(z.maxLength(MAX_OBSERVATIONS)),
}

const observations = z.strictObject({
  kind: z.literal('observations'),
  list: z.array(observation).check(z.maxLength(MAX_OBSERVATIONS)),
})

const report = z.strictObject({
  kind: z.literal('report'),
  protocol: z.int(),
  name: text,
  /** A keyed hash of the signed-in user; absent where the service names none. */
  user: z.exactOptional(text),
  rates: perCategory,
  ...totals,
  programs: z.array(z.strictObject({ name: text, perSecond: count })).check(z.maxLength(64)),
  /** How long ago a person last used this Headroom; absent if never. */
  inputAge: z.exactOptional(age),
  /** How much longer alerts are snoozed; 0: not snoozed. `snoozeAge`: how long ago that was chosen. */
  snoozeMs: count,
  snoozeAge: z.exactOptional(age),
  /** How long ago the service confirmed that this member revoked the key. */
  revokedAge: z.exactOptional(age),
})

export type MemberReport = z.output<typeof report>

/** The sender's totals, and the newest header of each row, for a member that joins or missed something. */
const picture = z.strictObject({
  kind: z.literal('picture'),
  ...totals,
  rows: z
    .array(
      z.strictObject({
        endpoint: path,
        /** When the request of the newest header was sent, and when the header came. */
        sentAge: age,
        age,
        rate: rateReading,
        /** Requests of the whole desk that may have counted since then. */
        since: count,
        /** How much longer the row waits after a 429; absent if it does not wait. */
        waitMs: z.exactOptional(count),
      }),
    )
    .check(z.maxLength(MAX_ROWS)),
})

export type MemberPicture = z.output<typeof picture>

/** The secret was replaced, and this one is no longer valid. */
const rotated = z.strictObject({ kind: z.literal('rotated') })

export const memberMessage = z.discriminatedUnion('kind', [observations, report, picture, rotated])

/** The content of one sealed message between members, apart from those of the link itself. */
export type DeskMessage = z.output<typeof memberMessage>
