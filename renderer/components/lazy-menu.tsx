import { type ComponentType, type ReactElement, type ReactNode, Suspense, useState } from 'react'
import { fetched, loadedLater } from './loaded-later.ts'

/** Props of a menu that was opened at least once. The button opens and closes it. */
export interface OpenedMenu {
  readonly button: ReactElement
}

export interface MenuCode {
  /** Starts loading the code, at most once. */
  readonly load: () => void
  readonly Opened: ComponentType<OpenedMenu>
}

/** A menu's code, in its own chunk, because it is larger than the first view's code (not counting React). */
export function menuCode(load: () => Promise<ComponentType<OpenedMenu>>): MenuCode {
  let loading: Promise<ComponentType<OpenedMenu>> | undefined
  const once = () => {
    loading ??= fetched(load)
    return loading
  }
  return { load: () => void once(), Opened: loadedLater(once) }
}

export interface LazyMenuProps {
  readonly menu: MenuCode
  readonly className?: string
  /** The accessible name, for a button without text. */
  readonly label?: string
  readonly testId?: string
  readonly children: ReactNode
}

/** A button that opens a menu. Hovering, focusing or pressing it loads the menu's code. */
export function LazyMenu({ menu: { load, Opened }, className, label, testId, children }: LazyMenuProps) {
  const [isWanted, setWanted] = useState(false)
  const named = label === undefined ? {} : { 'aria-label': label, title: label }
  const button = (
    <button type="button" className={className} data-testid={testId} {...named}>
      {children}
    </button>
  )
  const closed = (
    <button
      {...button.props}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={load}
      onFocus={load}
      onClick={() => setWanted(true)}
      onKeyDown={({ key }) => {
        if (key === 'ArrowDown') setWanted(true)
      }}
    />
  )
  return <Suspense fallback={closed}>{isWanted ? <Opened button={button} /> : closed}</Suspense>
}
