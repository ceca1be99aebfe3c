import { useMemo } from 'react'
import {
  hideToggled,
  movedBy,
  movedTo,
  pinToggled,
  type RowGroup,
  rowGroups,
  rowsOf,
} from '../state/row-groups.ts'
import {
  shownSnapshot,
  useLook,
  useParts,
  useShownValue,
  useView,
  type WindowParts,
} from '../state/window-parts.ts'
import { chooseCategory, chosenCategory } from './chosen-category.ts'

const NO_GROUPS: readonly RowGroup[] = []

/** The displayed groups of the table. The objects stay the same while nothing changes. */
export function useGroups(): readonly RowGroup[] {
  const arrangement = useLook(({ rows }) => rows)
  const open = useView(({ openGroups }) => openGroups)
  const chosen = useView(({ category }) => category)
  const followsWorst = useLook((look) => look.followsWorst)
  const groups = useShownValue((snapshot) =>
    rowGroups(snapshot, arrangement, { open, chosen: chosenCategory(snapshot, { chosen, followsWorst }) }),
  )
  return groups ?? NO_GROUPS
}

/** A person's actions on the table's rows, by keyboard or mouse. */
export type RowActions = ReturnType<typeof rowActions>

type Parts = Pick<WindowParts, 'view' | 'look' | 'mirror'>

export function useRowActions() {
  const parts = useParts()
  return useMemo(() => rowActions(parts), [parts])
}

export function rowActions({ view, look, mirror }: Parts) {
  const present = () => {
    const snapshot = shownSnapshot(mirror.getState(), view.getState())
    if (snapshot === undefined) return undefined
    const { followsWorst, rows: arrangement } = look.getState()
    const { category, openGroups } = view.getState()
    const chosen = chosenCategory(snapshot, { chosen: category, followsWorst })
    const groups = rowGroups(snapshot, arrangement, { open: openGroups, chosen })
    return chosen === undefined ? undefined : { snapshot, arrangement, chosen, groups }
  }
  type Present = NonNullable<ReturnType<typeof present>>
  const act = (run: (now: Present) => void) => {
    const now = present()
    if (now !== undefined) run(now)
  }
  const neighbour = ({ groups, chosen }: Present, by: 1 | -1) => {
    const names = rowsOf(groups)
    const at = names.indexOf(chosen)
    return names[Math.min(names.length - 1, Math.max(0, at + by))]
  }
  return {
    /** Chooses the next or previous row on the screen. */
    step: (by: 1 | -1) =>
      act((now) => {
        const category = neighbour(now, by)
        if (category !== undefined) chooseCategory({ view, look }, category)
      }),
    /** Moves the chosen row within its group. */
    move: (by: 1 | -1) =>
      act(({ snapshot, arrangement, groups, chosen }) =>
        look.setState({
          rows: movedBy(snapshot.requests, arrangement, { groups, category: chosen, by }),
        }),
      ),
    /** Moves a row to the place of another row in its group. */
    moveTo: (category: string, target: string) =>
      act(({ snapshot, arrangement }) =>
        look.setState({ rows: movedTo(snapshot.requests, arrangement, category, target) }),
      ),
    pin: () => act(({ arrangement, chosen }) => look.setState({ rows: pinToggled(arrangement, chosen) })),
    /** Hides the chosen row and chooses the next one. */
    hide: () =>
      act((now) => {
        const { arrangement, chosen } = now
        const next = neighbour(now, 1) === chosen ? neighbour(now, -1) : neighbour(now, 1)
        if (!arrangement.hidden.includes(chosen)) look.setState({ rows: hideToggled(arrangement, chosen) })
        if (next !== undefined) chooseCategory({ view, look }, next)
      }),
    show: (category: string) => look.setState(({ rows }) => ({ rows: hideToggled(rows, category) })),
  }
}
