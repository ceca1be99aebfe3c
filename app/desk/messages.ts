import { z } from 'zod/mini'
import { PROGRAM_CLASSES } from '../contract/programs.ts'
import { RECENT } from '../quota/metered-ledger.ts'
import { age, count, path, queueMessages, rateReading, shortText } from './queue-messages.ts'

/*
 * The messages between the members of a desk, before they are sealed. Ages are in milliseconds at the time of
 * sending, because machines do not compare their clocks. Rates are requests per second.
 */

/** Version of the message format. Members with different versions don't understand each other. */
export const DESK_PROTOCOL = 3

const slotReading = z.strictObject({
  resource: z.exactOptional(shortText),
  limit: z.exactOptional(count),
  remaining: z.exactOptional(count),
})

const sent = z.strictObject({
  kind: z.literal('sent'),
  id: count,
  /** The request's category if its path is known, otherwise the path. */
  endpoint: path,
  age,
})
/**
 * Fields of every ended request. `row`: the row that the sender charged. `sentAge`: time since the request
 * was sent.
 */
const ended = { id: count, endpoint: path, sentAge: age, row: z.exactOptional(shortText) }
const answered = z.strictObject({
  kind: z.literal('answered'),
  ...ended,
  /** Time since the header arrived. */
  age,
  rate: z.exactOptional(rateReading),
  /** After a 429 because of the request rate: how much longer the row waits. */
  waitMs: z.exactOptional(count),
})
/**
 * A request without a response, or with a response without quota headers. `laterMs`: for how much longer the
 * service may count the request.
 */
const lost = z.strictObject({ kind: z.literal('lost'), ...ended, laterMs: count })
const notSent = z.strictObject({ kind: z.literal('not-sent'), id: count })
/** The sender checked a row. */
const checked = z.strictObject({ kind: z.literal('checked'), category: shortText })
/** `own`: number of the sender's streams in a category. `reading`: a header's numbers for the slots. */
const slots = z.strictObject({
  kind: z.literal('slots'),
  category: shortText,
  own: count,
  reading: z.exactOptional(slotReading),
})

const observation = z.discriminatedUnion('kind', [sent, answered, lost, notSent, checked, slots])

/** One step of a member's requests, checks or streams. Steps are sent in the order in which they happened. */
export type RequestStep = z.output<typeof observation>

const MAX_OBSERVATIONS = 2_000
/**
 * Maximum number of rows in a `picture` message. A ledger has the known quotas and at most 128 other rows.
 */
export const MAX_ROWS = 160
const perCategory = z.record(shortText, count)

/** A member's requests since its app started, and how many of them were sent before it joined the desk. */
const runTotals = {
  /** Requests since the app started that the service counted or may have counted, by row. */
  counted: perCategory,
  /**
   * `age`: time since the member joined the desk. `counted`: its requests that were counted before that, by
   * row. If the app started as a member of the desk, `age` is the time since that start, and `counted` is
   * empty.
   */
  run: z.strictObject({ age, counted: perCategory }),
}

/** A member's totals, for members that missed observations. */
const totals = {
  counted: runTotals.counted,
  /** Own streams that hold a slot, by category. */
  streams: perCategory,
  /** The ids of requests without a response. */
  underWay: z.array(count).check(z.maxLength(MAX_OBSERVATIONS)),
}

const observations = z.strictObject({
  kind: z.literal('observations'),
  list: z.array(observation).check(z.maxLength(MAX_OBSERVATIONS)),
})

/** Maximum number of programs in a report, and of categories of one program. */
const MAX_PROGRAMS = 64
export const MAX_REPORTED_USES = 8

const reportedProgram = z.strictObject({
  name: shortText,
  perSecond: count,
  class: z.enum(PROGRAM_CLASSES),
  weight: z.number().check(z.gt(0)),
  waiting: count,
  longestWaitMs: age,
  /** The categories that the program uses now or waits for. */
  use: z
    .array(
      z.strictObject({
        category: shortText,
        perSecond: count,
        waiting: count,
        /** Time until the first waiting request is expected to be sent. Absent if this is unknown. */
        turnInMs: z.exactOptional(count),
      }),
    )
    .check(z.maxLength(MAX_REPORTED_USES)),
})

/** A program behind the sender's gateway. */
export type ReportedProgram = z.output<typeof reportedProgram>

const report = z.strictObject({
  kind: z.literal('report'),
  /** Number of this report in the current run of the sender's app. */
  number: count,
  name: shortText,
  /** A keyed hash of the signed-in user. Absent if the service names no user. */
  user: z.exactOptional(shortText),
  rates: perCategory,
  ...totals,
  programs: z.array(reportedProgram).check(z.maxLength(MAX_PROGRAMS)),
  /** Share of each quota that this member's checks may use. Absent if the member checks nothing by itself. */
  checkBudget: z.exactOptional(z.number().check(z.gte(0), z.lte(1))),
  /** Requests that this member reserves for more urgent classes, by category. Absent: the defaults. */
  reserves: z.exactOptional(perCategory),
  /** Time since a person last used this Headroom. Absent if never. */
  inputAge: z.exactOptional(age),
  /** Remaining snooze of alerts, or 0. `snoozeAge`: time since a person chose it. */
  snoozeMs: count,
  snoozeAge: z.exactOptional(age),
  /** Time since the service confirmed that this member revoked the key. */
  revokedAge: z.exactOptional(age),
})

export type MemberReport = z.output<typeof report>

/** Sent instead of a report if only elapsed times have changed since the sender's report number `report`. */
const unchanged = z.strictObject({ kind: z.literal('unchanged'), report: count })

export type ReportMessage = MemberReport | z.output<typeof unchanged>

/** Maximum number of `silent` entries in a `picture` message. */
export const MAX_SILENT = 32

const silentRun = z.strictObject({
  member: shortText,
  /** The random name of this run of the member's app. */
  name: shortText,
  ...runTotals,
})

/**
 * A run of another member's app that has ended or does not respond, with the requests that the sender knows
 * of. A member that was disconnected at the time can't get these totals from that app.
 */
export type SilentRun = z.output<typeof silentRun>

/**
 * The sender's full state, for a member that joins or missed messages: its totals, the newest header of each
 * row, and the totals of each `SilentRun`.
 */
const picture = z.strictObject({
  kind: z.literal('picture'),
  ...totals,
  run: runTotals.run,
  /** Age of each request in `counted` that was sent within the last minute, by row. */
  recent: z.record(shortText, z.array(age).check(z.maxLength(RECENT.most))),
  rows: z
    .array(
      z.strictObject({
        endpoint: path,
        /** `age`: time since the header arrived. `sentAge`: time since its request was sent. */
        sentAge: age,
        age,
        rate: rateReading,
        /** Requests of the whole desk since that header. The service may have counted them. */
        since: count,
        /** Remaining wait of the row after a 429. Absent if the row does not wait. */
        waitMs: z.exactOptional(count),
      }),
    )
    .check(z.maxLength(MAX_ROWS)),
  silent: z.array(silentRun).check(z.maxLength(MAX_SILENT)),
})

export type MemberPicture = z.output<typeof picture>

/** The desk's secret was replaced. The secret that sealed this message is no longer valid. */
const rotated = z.strictObject({ kind: z.literal('rotated') })

export const memberMessage = z.discriminatedUnion('kind', [
  observations,
  report,
  unchanged,
  picture,
  rotated,
  ...queueMessages,
])

/** The content of one sealed message between members. Messages of the link itself are not included. */
export type DeskMessage = z.output<typeof memberMessage>
