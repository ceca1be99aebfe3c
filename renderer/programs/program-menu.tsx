import { useMemo } from 'react'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Dropdown, MenuItem } from '../components/dropdown.tsx'
import { Icon } from '../components/icon.tsx'
import { LazyMenu, menuCode, type OpenedMenu } from '../components/lazy-menu.tsx'
import { useParts } from '../state/window-parts.ts'
import sheet from './program-table.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

interface ProgramMenuProps {
  readonly name: string
  readonly isBusy: boolean
  cut(name: string): void
}

/** What can be done with one program. */
export function ProgramMenu({ name, isBusy, cut }: ProgramMenuProps) {
  const { view } = useParts()
  const menu = useMemo(
    () =>
      menuCode(async () => ({ button }: OpenedMenu) => (
        <Dropdown button={button} align="end">
          <MenuItem onSelect={() => view.setState({ page: 'plan' })}>Change its rates in the plan</MenuItem>
          <MenuItem onSelect={() => cut(name)}>Cut off {name}</MenuItem>
        </Dropdown>
      )),
    [view, name, cut],
  )
  return (
    <LazyMenu menu={menu} className={css('button', 'ghost', 'actions')} label={`Actions for ${name}`}>
      <Icon name="more" />
      {isBusy && <span className={css('spoken')}>busy</span>}
    </LazyMenu>
  )
}
