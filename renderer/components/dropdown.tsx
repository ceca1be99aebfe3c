import { DropdownMenu } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'
import { classesOf } from './classes.ts'
import sheet from './menu.module.css'

const css = classesOf(sheet)

export interface DropdownProps {
  readonly button: ReactElement
  readonly align: 'start' | 'end'
  readonly children: ReactNode
}

/** A menu below its button, open as soon as it is mounted. */
export function Dropdown({ button, align, children }: DropdownProps) {
  return (
    // A modal menu would insert a style element to lock the page's scrolling.
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>{button}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={css('menu')} align={align} sideOffset={6}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

export function MenuItem(props: { readonly onSelect: () => void; readonly children: ReactNode }) {
  const { onSelect, children } = props
  return (
    <DropdownMenu.Item className={css('item')} onSelect={onSelect}>
      {children}
    </DropdownMenu.Item>
  )
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className={css('separator')} />
}
