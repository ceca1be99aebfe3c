import { useContext } from 'react'
import { countText } from '../../app/status/rates.ts'
import { Dropdown, MenuItem } from '../components/dropdown.tsx'
import type { OpenedMenu } from '../components/lazy-menu.tsx'
import { useCopy } from '../hooks/use-copy.ts'
import { useParts } from '../state/window-parts.ts'
import { ExportsOf, eventText } from './shown-events.ts'

export function OpenedExports({ button }: OpenedMenu) {
  const { shown, stored } = useContext(ExportsOf)
  const { view } = useParts()
  const copy = useCopy()
  const copyAll = () => {
    const text = eventText(shown, stored)
    copy(text, `${countText(shown.length, 'event')} copied.`, text)
  }
  return (
    <Dropdown button={button} align="end">
      <MenuItem onSelect={copyAll}>Copy the events shown</MenuItem>
      <MenuItem onSelect={() => view.setState({ dialog: 'report' })}>Report, with files…</MenuItem>
    </Dropdown>
  )
}
