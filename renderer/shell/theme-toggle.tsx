import { useState } from 'react'
import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { applyTheme, nextTheme, readTheme, type Theme } from '../theme/theme.ts'
import sheet from './shell.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

const THEME_WORDS: Readonly<Record<Theme, string>> = {
  system: 'Theme: as the system',
  light: 'Theme: light',
  dark: 'Theme: dark',
}

export function ThemeToggle() {
  const [theme, setTheme] = useState(() => readTheme(localStorage))
  const next = () => {
    const chosen = nextTheme(theme)
    applyTheme(chosen, document.documentElement, localStorage)
    setTheme(chosen)
  }
  const words = THEME_WORDS[theme]
  return (
    <button
      type="button"
      className={css('button', 'ghost', 'icon')}
      aria-label={words}
      title={words}
      onClick={next}
    >
      <i className={css('theme', `theme-${theme}`)} aria-hidden="true" />
    </button>
  )
}
