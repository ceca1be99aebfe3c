import type { RequestQuota } from '../../../app/contract/snapshot.ts'

/** The one ladder of states that a row is measured by. */
export const ROW_STATES = ['ok', 'low', 'running-out', 'empty', 'blocked', 'not-checked'] as const
export type RowState = (typeof ROW_STATES)[number]

const OF_VERDICT = {
  lasts: 'ok',
  idle: 'ok',
  'near-limit': 'low',
  'runs-out': 'running-out',
  blocked: 'blocked',
  'not-seen': 'not-checked',
} as const satisfies Record<RequestQuota['verdict'], RowState>

/** What the row tells a person, in the words of the ladder. Goes when a row says its state itself. */
export const stateOf = (row: RequestQuota): RowState => OF_VERDICT[row.verdict]

/** The states that say that requests fail, or soon will. */
export const isWarning = (state: RowState): boolean =>
  state === 'running-out' || state === 'empty' || state === 'blocked'

/** The told chance that the quota is empty within ten minutes: a row without one says yes or no by its state. */
export const chanceOf = (row: RequestQuota): number => (isWarning(stateOf(row)) ? 1 : 0)
