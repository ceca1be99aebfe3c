import { Dropdown, MenuItem } from '../components/dropdown.tsx'
import type { OpenedMenu } from '../components/lazy-menu.tsx'
import { useLook } from '../state/window-parts.ts'
import { useRowActions } from './use-groups.ts'

export function OpenedHiddenRows({ button }: OpenedMenu) {
  const actions = useRowActions()
  const hidden = useLook(({ rows }) => rows.hidden)
  return (
    <Dropdown button={button} align="end">
      {hidden.map((category) => (
        <MenuItem key={category} onSelect={() => actions.show(category)}>
          Show {category}
        </MenuItem>
      ))}
    </Dropdown>
  )
}
