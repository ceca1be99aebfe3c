import { useEffect, useState } from 'react'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { quotaStatus } from '../../app/status/quota-status.ts'
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
 * The row of the chart: the chosen row, or else the worst row. If the chart follows the worst row, the order
 * is reversed. If there is neither, the first row with a header, or else the first row.
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
 * Chooses the row that an alert is about. `subject` is the alert's subject, and `profile` is its key. If the
 * subject is a stream or a group of slots, the chart stays unchanged.
 */
export function chooseIfRow(
  { view, look, mirror }: Pick<WindowParts, 'view' | 'look' | 'mirror'>,
  profile: string,
  subject: string,
): void {
  const snapshot = mirror.getState().snapshots.find((one) => one.profile.id === profile)
  if (snapshot?.requests.some(({ category }) => category === subject)) chooseCategory({ view, look }, subject)
}

/** Chooses rows by `firstChoice`, until a person chooses a row. */
export function useFirstChoice(): void {
  const { view } = useParts()
  const [own, setOwn] = useState<string>()
  const chosen = useView(({ category }) => category)
  const next = useShown((snapshot) => (chosen === own ? firstChoice(snapshot, own) : undefined))
  useEffect(() => {
    if (next === undefined) return
    setOwn(next)
    view.setState({ category: next })
  }, [view, next])
}

/**
 * The row to show in the chart, as long as a person has chosen none. `undefined` leaves the chart unchanged.
 * `own` is the row that this function returned last, if any.
 *
 * The first choice is the worst row. Later, the choice changes only if another row is in trouble and the
 * shown row is not.
 */
export function firstChoice(snapshot: Snapshot, own: string | undefined): string | undefined {
  const { category } = snapshot.verdict
  if (own === undefined) return category
  return isInTrouble(snapshot, category) && !isInTrouble(snapshot, own) ? category : undefined
}

function isInTrouble({ requests, at }: Snapshot, category: string | undefined): boolean {
  const row = requests.find((one) => one.category === category)
  const severity = row && quotaStatus(row, at).severity
  return severity === 'warning' || severity === 'critical'
}
