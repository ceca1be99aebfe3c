import { useMemo } from 'react'
import { PAUSE_MINUTES } from '../../app/contract/programs.ts'
import { classesOf } from '../components/classes.ts'
import { Dropdown, MenuItem } from '../components/dropdown.tsx'
import { Icon } from '../components/icon.tsx'
import { LazyMenu, menuCode, type OpenedMenu } from '../components/lazy-menu.tsx'
import { useCommand } from '../hooks/use-asked.ts'
import { useParts } from '../state/window-parts.ts'
import sheet from './program-table.module.css'

const css = classesOf(sheet)

interface ProgramMenuProps {
  readonly name: string
  readonly isPaused: boolean
  readonly isBusy: boolean
  cut(name: string): void
}

export function ProgramMenu({ name, isPaused, isBusy, cut }: ProgramMenuProps) {
  const { api, view } = useParts()
  const run = useCommand()
  const menu = useMemo(
    () =>
      menuCode(async () => ({ button }: OpenedMenu) => (
        <Dropdown button={button} align="end">
          <MenuItem onSelect={() => view.setState({ page: 'plan' })}>Change its rates in the plan</MenuItem>
          {isPaused ? (
            <MenuItem onSelect={() => run(() => api.resumeProgram({ name }))}>Resume {name}</MenuItem>
          ) : (
            <MenuItem onSelect={() => run(() => api.pauseProgram({ name }))}>
              Pause {name} {PAUSE_MINUTES} min
            </MenuItem>
          )}
          <MenuItem onSelect={() => cut(name)}>Cut off {name}</MenuItem>
        </Dropdown>
      )),
    [api, run, view, name, isPaused, cut],
  )
  return (
    <LazyMenu menu={menu} className={css('button', 'ghost', 'actions')} label={`Actions for ${name}`}>
      <Icon name="more" />
      {isBusy && <span className="spoken">busy</span>}
    </LazyMenu>
  )
}
