import type { QuotaState, RequestQuota } from '../../../app/contract/snapshot.ts'

/** The states that say that requests fail, or soon will. */
export const isWarning = (state: QuotaState): boolean =>
  state === 'running-out' || state === 'empty' || state === 'blocked'

/**
 * The shown chance that the quota is empty within ten minutes; before there is one, a row says yes or no by
 * its state.
 */
export const chanceOf = ({ emptyChance, state }: RequestQuota): number =>
  emptyChance ?? (isWarning(state) ? 1 : 0)
