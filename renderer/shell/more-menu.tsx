import { DropdownMenu } from 'radix-ui'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Icon } from '../components/icon.tsx'
import type { Dialog } from '../state/view-state.ts'
import { useParts } from '../state/window-parts.ts'
import sheet from './shell.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

const ITEMS: readonly (readonly [Dialog, string])[] = [
  ['report', 'Report…'],
  ['programs', 'Programs…'],
  ['settings', 'Settings…'],
  ['shortcuts', 'Keyboard…'],
]

export function MoreMenu() {
  const { view } = useParts()
  return (
    // A modal menu would insert a style element to lock the page's scrolling.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={css('button', 'ghost', 'icon')} aria-label="More" title="More">
        <Icon name="more" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={css('menu')} align="end" sideOffset={6}>
          <DropdownMenu.Item className={css('item')} onSelect={() => view.setState({ page: 'plan' })}>
            Plan…
          </DropdownMenu.Item>
          {ITEMS.map(([dialog, words]) => (
            <DropdownMenu.Item
              key={dialog}
              className={css('item')}
              onSelect={() => view.setState({ dialog })}
            >
              {words}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
