import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { useLook, useParts } from '../state/window-parts.ts'
import { nextTheme, THEME_LABELS } from '../theme/theme.ts'
import sheet from './header.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

export function ThemeToggle() {
  const { look } = useParts()
  const theme = useLook((one) => one.theme)
  const words = `Theme: ${THEME_LABELS[theme]}`
  return (
    <button
      type="button"
      className={css('button', 'ghost', 'icon', 'theme-button')}
      aria-label={words}
      title={words}
      onClick={() => look.setState({ theme: nextTheme(theme) })}
    >
      <i className={css('theme', `theme-${theme}`)} aria-hidden="true" />
    </button>
  )
}
