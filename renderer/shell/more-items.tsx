import { Dropdown, MenuItem } from '../components/dropdown.tsx'
import type { OpenedMenu } from '../components/lazy-menu.tsx'
import type { Dialog } from '../state/view-state.ts'
import { useParts } from '../state/window-parts.ts'

const ITEMS: readonly (readonly [Dialog, string])[] = [
  ['report', 'Report…'],
  ['settings', 'Settings…'],
  ['shortcuts', 'Keyboard…'],
]

export function OpenedMoreMenu({ button }: OpenedMenu) {
  const { view } = useParts()
  return (
    <Dropdown button={button} align="end">
      <MenuItem onSelect={() => view.setState({ page: 'programs' })}>Programs…</MenuItem>
      <MenuItem onSelect={() => view.setState({ page: 'plan' })}>Plan…</MenuItem>
      <MenuItem onSelect={() => view.setState({ page: 'glance' })}>Glance</MenuItem>
      {ITEMS.map(([dialog, words]) => (
        <MenuItem key={dialog} onSelect={() => view.setState({ dialog })}>
          {words}
        </MenuItem>
      ))}
    </Dropdown>
  )
}
