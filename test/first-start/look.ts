import type { Shown, ShownAlert, ShownGlance } from './shown.ts'
import { isUnsettled, type Trouble } from './troubles.ts'
import type { Truth } from './truth.ts'

/**
 * A look at three windows, the dashboard, Glance and the open alerts, between two looks into the simulator's
 * books.
 */
export interface Look {
  readonly before: Truth
  readonly shown: Shown
  readonly glance: ShownGlance
  readonly alerts: readonly ShownAlert[]
  readonly after: Truth
  /** What was broken so far. */
  readonly troubles: readonly Trouble[]
  /** How late the app and its windows were at most since the look before, as measured with them. */
  readonly lateMs: number
}

/**
 * How much older than the look what is shown may be, beyond what the app promises of itself: as long as it
 * took.
 */
export const delayMs = ({ before, after, lateMs }: Look): number => after.at - before.at + lateMs

/** Whether something is broken, or was lately: streams are silent then, and checks do not come. */
export const isUnsettledNow = ({ troubles, shown }: Look): boolean =>
  troubles.some((one) => isUnsettled(one, shown.atMs))

/** One sentence of the window that the simulator's count contradicts. */
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

/** Takes what is not so; `atMs`: when it was shown, the last look unless given. */
export type Note = (rule: Rule, said: string, counted: string, atMs?: number) => void

/** Main pushes at most four times a second, and the window moves its clock twice a second. */
export const PUSH_MS = 1_000
/** What may have happened since the push. Requests. */
export const SLACK = 2
/** How far a number without a range may be off: a range is shown from a tenth of the limit on. */
export const MIDDLE = 0.1
/** Use that is worth a sentence, requests per second. */
export const SOME_USE = 0.3
