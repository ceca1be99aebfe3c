import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Icon } from '../components/icon.tsx'
import { LazyMenu, menuCode } from '../components/lazy-menu.tsx'
import sheet from './header.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

const MENU = menuCode(async () => (await import('./more-items.tsx')).OpenedMoreMenu)

export function MoreMenu() {
  return (
    <LazyMenu menu={MENU} className={css('button', 'ghost', 'icon')} label="More">
      <Icon name="more" />
    </LazyMenu>
  )
}
