import type { Shown, ShownAlert, ShownGlance } from './shown.ts'
import { isUnsettled, type Trouble } from './troubles.ts'
import type { Truth } from './truth.ts'

/**
 * One look at three windows (the dashboard, Glance and the open alerts), between two reads of the simulator's
 * counts.
 */
export interface Look {
  readonly before: Truth
  readonly shown: Shown
  readonly glance: ShownGlance
  readonly alerts: readonly ShownAlert[]
  readonly after: Truth
  /** All faults so far. */
  readonly troubles: readonly Trouble[]
  /** Maximum lateness of the app and its windows since the previous look, as measured, in milliseconds. */
  readonly lateMs: number
}

/**
 * How much older than promised the display may be, in milliseconds: the duration of the look plus the
 * lateness.
 */
export const delayMs = ({ before, after, lateMs }: Look): number => after.at - before.at + lateMs

/** Whether something is broken or was broken lately. Streams may then be silent and checks may be missing. */
export const isUnsettledNow = ({ troubles, shown }: Look): boolean =>
  troubles.some((one) => isUnsettled(one, shown.atMs))

/** A statement of the window that contradicts the simulator's counts. */
export interface Contradiction {
  readonly atMs: number
  readonly rule: Rule
  readonly said: string
  readonly counted: string
}

export type Rule =
  | 'state'
  | 'number'
  | 'others'
  | 'full-at'
  | 'age'
  | '429'
  | 'slots'
  | 'streams'
  | 'token'
  | 'forecast'
  | 'headline'
  | 'glance'
  | 'alert'
  | 'own'
  | 'safe'
  | 'check'
  | 'trouble'
  | 'unlike'

/** Reports a contradiction. `atMs`: when it was shown, by default the time of the last look. */
export type Note = (rule: Rule, said: string, counted: string, atMs?: number) => void

/**
 * Maximum age of the display. The main process pushes four times a second at most, and the window updates its
 * clock twice a second.
 */
export const PUSH_MS = 1_000
/** Requests that may have been sent since the push. */
export const SLACK = 2
/**
 * Maximum error of a number without a range, as a share of the limit. From this uncertainty on, a range is
 * shown.
 */
export const MIDDLE = 0.1
/** Rate that is high enough to be mentioned in a sentence, in requests per second. */
export const SOME_USE = 0.3
