import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { nextTheme, THEME_WORDS } from '../theme/theme.ts'
import { useLook, useParts } from '../view/window-parts.ts'
import sheet from './shell.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

export function ThemeToggle() {
  const { look } = useParts()
  const theme = useLook((one) => one.theme)
  const words = `Theme: ${THEME_WORDS[theme]}`
  return (
    <button
      type="button"
      className={css('button', 'ghost', 'icon')}
      aria-label={words}
      title={words}
      onClick={() => look.setState({ theme: nextTheme(theme) })}
    >
      <i className={css('theme', `theme-${theme}`)} aria-hidden="true" />
    </button>
  )
}
