import type { Snapshot } from '../../app/contract/snapshot.ts'
import { useShown, useView } from '../state/window-parts.ts'

/** The row that the chart shows: the chosen one, else the worst one, else the first. */
export function useChosenCategory(): string | undefined {
  const chosen = useView((view) => view.category)
  return useShown((snapshot) => chosenCategory(snapshot, chosen))
}

/** The row of the chart, as `useChosenCategory`; `undefined` without rows. */
export function chosenCategory(snapshot: Snapshot, chosen: string | undefined): string | undefined {
  const has = (category: string | undefined) =>
    category !== undefined && snapshot.requests.some((quota) => quota.category === category)
  if (has(chosen)) return chosen
  if (has(snapshot.verdict.category)) return snapshot.verdict.category
  return (snapshot.requests.find((quota) => quota.source !== 'default') ?? snapshot.requests[0])?.category
}
