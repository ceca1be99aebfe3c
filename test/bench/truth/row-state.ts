import type { QuotaState, RequestQuota } from '../../../app/contract/snapshot.ts'

/** The states in which requests fail or soon will. */
export const isWarning = (state: QuotaState): boolean =>
  state === 'running-out' || state === 'empty' || state === 'blocked'

/**
 * The shown probability that the quota is empty within ten minutes. Before a row has one, its state counts as
 * 0 or 1.
 */
export const chanceOf = ({ emptyChance, state }: RequestQuota): number =>
  emptyChance ?? (isWarning(state) ? 1 : 0)
