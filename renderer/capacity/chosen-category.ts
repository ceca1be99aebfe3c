import { useEffect } from 'react'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { WindowParts } from '../state/window-parts.ts'
import { useLook, useParts, useShown, useView } from '../state/window-parts.ts'

/** The row that the chart shows. */
export function useChosenCategory(): string | undefined {
  const chosen = useView((view) => view.category)
  const followsWorst = useLook((look) => look.followsWorst)
  return useShown((snapshot) => chosenCategory(snapshot, { chosen, followsWorst }))
}

interface Choice {
  readonly chosen: string | undefined
  readonly followsWorst: boolean
}

/**
 * The row of the chart: the worst one if the chart follows it, otherwise the chosen one, otherwise the first
 * one; `undefined` without rows.
 */
export function chosenCategory(snapshot: Snapshot, { chosen, followsWorst }: Choice): string | undefined {
  const has = (category: string | undefined) =>
    category !== undefined && snapshot.requests.some((quota) => quota.category === category)
  const wanted = followsWorst ? [snapshot.verdict.category, chosen] : [chosen, snapshot.verdict.category]
  const found = wanted.find(has)
  if (found !== undefined) return found
  return (snapshot.requests.find((quota) => quota.source !== 'default') ?? snapshot.requests[0])?.category
}

/** Chooses a row at a person's request. The chart then no longer follows the worst row. */
export function chooseCategory({ view, look }: Pick<WindowParts, 'view' | 'look'>, category: string): void {
  if (look.getState().followsWorst) look.setState({ followsWorst: false })
  view.setState({ category })
}

/**
 * Chooses an alert's subject if it is a row of that key; a stream or a group of slots leaves the chart
 * unchanged.
 */
export function chooseIfRow(
  { view, look, mirror }: Pick<WindowParts, 'view' | 'look' | 'mirror'>,
  profile: string,
  subject: string,
): void {
  const snapshot = mirror.getState().snapshots.find((one) => one.profile.id === profile)
  if (snapshot?.requests.some(({ category }) => category === subject)) chooseCategory({ view, look }, subject)
}

/**
 * Chooses the worst row once, as soon as there is one, so that the chart starts with the most important row.
 * After that, only a person changes the choice.
 */
export function useFirstChoice(): void {
  const { view } = useParts()
  const isChosen = useView(({ category }) => category !== undefined)
  const worst = useShown((snapshot) => snapshot.verdict.category)
  useEffect(() => {
    if (!isChosen && worst !== undefined) view.setState({ category: worst })
  }, [view, isChosen, worst])
}
