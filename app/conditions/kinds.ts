import { NO_ORDERS } from '../contract/orders.ts'
import type { Severity } from '../contract/severity.ts'
import type { Snapshot } from '../contract/snapshot.ts'
import { lacksTrade } from '../service/categories.ts'
import { notFound } from '../status/orders-status.ts'
import { isSlotCountCurrent } from '../status/stream-status.ts'

/** The parts of a key's health, in the order in which they are listed. */
export const ASPECTS = ['orders', 'sign-in', 'service', 'streams', 'slots', 'quotas', 'desk', 'data'] as const
export type Aspect = (typeof ASPECTS)[number]

/** How a kind of condition relates to the key's health and to other kinds. */
interface KindRow {
  readonly aspect: Aspect
  /**
   * Kinds of conditions that a condition of this kind can cause. While the condition lasts, conditions of
   * these kinds can't be the headline. A condition of one quota explains only conditions of the same quota.
   */
  readonly explains: readonly string[]
  /**
   * Whether all calls fail while a condition of this kind lasts. If so, no aspect of the key can be reported
   * as fine.
   */
  readonly stopsCalls: boolean
  /** Absent for a kind that appears only in the window. */
  readonly alert?: AlertRule
  /** Finds the occurrences of this kind. Absent for kinds that `evaluate.ts` finds. */
  readonly detect?: (snapshot: Snapshot, nowMs: number) => readonly Detected[]
}

/**
 * When the alert of a condition is raised and withdrawn, in milliseconds. The condition must last `holdMs`
 * before the alert is raised, and must be absent for `recoverMs` before the alert is withdrawn.
 */
interface AlertRule {
  readonly holdMs: number
  readonly recoverMs: number
}

const after = (holdMs: number, recoverMs = 0): AlertRule => ({ holdMs, recoverMs })

/** An occurrence of a condition. `since`: epoch ms. */
export interface Detected {
  readonly severity: Severity
  readonly subject?: string
  readonly since?: number
}

/** Conditions of one quota, and their possible causes. */
const ROW_KINDS = ['rate-limited', 'running-out', 'empty', 'low', 'usual-load', 'watch'] as const
const OF_ROW = ['others-use-refill', 'own-use', ...ROW_KINDS] as const
/** Consequences of a service that does not respond successfully. */
const OF_NO_ANSWER = [
  ...OF_ROW,
  'no-headers',
  'check-rejected',
  'permission-missing',
  'quota-failing',
  'no-stream-data',
  'streams-silent',
  'streams-waiting',
  'streams-restarting',
  'slots-full',
  'not-checked',
] as const
/** Consequences of a missing access token. */
const OF_NO_TOKEN = [
  ...OF_NO_ANSWER,
  'renewal-failing',
  'sign-in-ends',
  'token-rejected',
  'service-failing',
  'service-unreachable',
] as const

/** Whether a condition follows from a row's level or its 429s. */
export const isOfRow = (kind: string): boolean => OF_ROW.some((one) => one === kind)

const stops = (aspect: Aspect, explains: readonly string[]) => ({ aspect, explains, stopsCalls: true })
const leaves = (aspect: Aspect, ...explains: string[]) => ({ aspect, explains, stopsCalls: false })

/**
 * Every problem of a key, and other noteworthy conditions. Among equally severe root conditions, the first in
 * this table is the headline.
 *
 * When the access token expires, `sign-in-host-unreachable` becomes `sign-in-host-gone`. Calls work until
 * then.
 */
export const CONDITIONS = {
  'order-unknown': {
    ...leaves('orders'),
    alert: after(0),
    detect: ({ orders = NO_ORDERS }) => {
      const [first] = orders.unknown
      if (first === undefined) return []
      const isFound = notFound(orders.unknown).length === 0
      return [{ severity: isFound ? 'warning' : 'critical', since: first.at }]
    },
  },
  'orders-failed': {
    ...leaves('orders'),
    alert: after(0),
    detect: ({ orders }) => (orders?.state === 'failed' ? [{ severity: 'critical' }] : []),
  },
  'keys-damaged': { ...stops('sign-in', [...OF_NO_TOKEN, 'signed-out']), alert: after(0) },
  'keys-locked': { ...stops('sign-in', [...OF_NO_TOKEN, 'signed-out']), alert: after(0) },
  'keys-unreadable': { ...stops('sign-in', [...OF_NO_TOKEN, 'signed-out']), alert: after(0) },
  'keys-sealed-elsewhere': { ...stops('sign-in', [...OF_NO_TOKEN, 'signed-out']), alert: after(0) },
  'hosts-unreachable': { ...stops('service', [...OF_NO_TOKEN, 'desk-unreachable']), alert: after(60_000) },
  'sign-in-host-gone': { ...stops('sign-in', OF_NO_TOKEN), alert: after(60_000) },
  'sign-in-host-unreachable': { ...leaves('sign-in', 'renewal-failing'), alert: after(60_000) },
  'signed-out': { ...stops('sign-in', OF_NO_TOKEN), alert: after(0) },
  'key-rejected': { ...stops('sign-in', OF_NO_TOKEN), alert: after(0) },
  // A revoked key has no token to lose, so problems with storing tokens count as consequences of `revoked`.
  revoked: stops('sign-in', [...OF_NO_TOKEN, 'token-not-saved', 'keyring-away', 'keyring-unprotected']),
  revoking: stops('sign-in', [...OF_NO_TOKEN, 'revocation-unconfirmed']),
  'revocation-unconfirmed': { ...stops('sign-in', OF_NO_TOKEN), alert: after(0) },
  'token-rejected': { ...stops('sign-in', OF_NO_ANSWER), alert: after(10_000) },
  'service-unreachable': { ...stops('service', ['service-failing', ...OF_NO_ANSWER]), alert: after(60_000) },
  'service-failing': { ...stops('service', OF_NO_ANSWER), alert: after(60_000) },
  'permission-missing': { ...leaves('sign-in', ...OF_ROW), alert: after(10_000) },
  'no-headers': { ...leaves('service', 'not-checked', ...OF_ROW), alert: after(60_000) },
  'no-stream-data': {
    ...leaves('streams', 'streams-silent', 'streams-waiting', 'streams-restarting'),
    alert: after(0, 5_000),
  },
  'token-not-saved': {
    ...leaves('sign-in', 'keyring-away', 'history-paused'),
    alert: after(0),
    detect: ({ refresh }) => (refresh.unsaved === undefined ? [] : [{ severity: 'critical' }]),
  },
  'desk-refused': {
    ...leaves('desk'),
    alert: after(10_000),
    detect: ({ desk }) =>
      desk?.state === 'refused' || desk?.refusal !== undefined ? [{ severity: 'warning' }] : [],
  },
  'desk-unreachable': {
    ...leaves('desk'),
    alert: after(10_000),
    detect: ({ desk }) => {
      if (desk?.state !== 'alone') return []
      const since = desk.engine.since ?? desk.queue?.since
      return [{ severity: 'warning', ...(since !== undefined && { since }) }]
    },
  },
  'history-paused': {
    ...leaves('data'),
    alert: after(0),
    detect: ({ pausedHistory }) =>
      pausedHistory === undefined ? [] : [{ severity: 'warning', since: pausedHistory.since }],
  },
  'others-use-refill': { ...leaves('quotas', ...ROW_KINDS), alert: after(10_000, 20_000) },
  'own-use': { ...leaves('quotas', ...ROW_KINDS), alert: after(10_000, 20_000) },
  // A 429 is announced immediately, because it is a fact and not a trend. Another 429 within ten seconds
  // continues the condition.
  'rate-limited': { ...leaves('quotas'), alert: after(0, 10_000) },
  empty: { ...leaves('quotas'), alert: after(5_000, 20_000) },
  'running-out': { ...leaves('quotas'), alert: after(10_000, 20_000) },
  'renewal-failing': { ...leaves('sign-in'), alert: after(60_000) },
  'sign-in-ends': { ...leaves('sign-in'), alert: after(0) },
  'slots-full': {
    ...leaves('slots', 'streams-waiting'),
    // This alert is raised only while a stream waits for a slot.
    alert: after(10_000, 10_000),
    detect: ({ slots }, nowMs) =>
      slots
        .filter((group) => group.free <= 0 && isSlotCountCurrent(group, nowMs))
        .map(({ category }) => ({ severity: 'warning', subject: category })),
  },
  // A stream counts as silent only after 15 s without a frame, so its alert needs no further delay.
  'streams-silent': { ...leaves('streams'), alert: after(0, 5_000) },
  'streams-waiting': leaves('streams'),
  'streams-restarting': { ...leaves('streams'), alert: after(0) },
  'quota-failing': { ...leaves('service'), alert: after(60_000) },
  'check-rejected': { ...leaves('quotas'), alert: after(10_000) },
  low: { ...leaves('quotas'), alert: after(5_000, 10_000) },
  'usual-load': leaves('quotas', 'watch'),
  watch: leaves('quotas'),
  'orders-forbidden': {
    ...leaves('orders'),
    alert: after(10_000),
    detect: ({ orders, access }) =>
      orders?.state === 'on' && lacksTrade(access.scopes) ? [{ severity: 'warning' }] : [],
  },
  'orders-stopped': {
    ...leaves('orders'),
    detect: ({ orders }) => (orders?.state === 'stopped' ? [{ severity: 'watch' }] : []),
  },
  'keyring-away': leaves('sign-in'),
  'keyring-unprotected': leaves('sign-in'),
  'not-checked': leaves('data'),
} as const satisfies Record<string, KindRow>

export type ConditionKind = keyof typeof CONDITIONS

/** The properties of a kind. `undefined` for any other name. */
export const kindRow = (kind: string): KindRow | undefined =>
  (CONDITIONS as Readonly<Record<string, KindRow | undefined>>)[kind]

export const CONDITION_KINDS = Object.keys(CONDITIONS) as readonly ConditionKind[]

/** Whether `cause` explains `kind`. */
export const explains = (cause: ConditionKind, kind: string): boolean =>
  (CONDITIONS[cause].explains as readonly string[]).includes(kind)

/**
 * Kind of an alert: a kind of condition, or `capacity-back`. The latter means that calls can resume after a
 * 429.
 */
export type AlertKind = ConditionKind | 'capacity-back'
