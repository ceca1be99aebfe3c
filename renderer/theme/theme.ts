export const THEMES = ['system', 'light', 'dark', 'contrast'] as const
export type Theme = (typeof THEMES)[number]

export const THEME_LABELS: Readonly<Record<Theme, string>> = {
  system: 'system',
  light: 'light',
  dark: 'dark',
  contrast: 'high contrast',
}

const THEME_KEY = 'headroom.theme'

export function readTheme(storage: Pick<Storage, 'getItem'>): Theme {
  const kept = storage.getItem(THEME_KEY)
  return THEMES.find((theme) => theme === kept) ?? 'system'
}

export function applyTheme(
  theme: Theme,
  root: HTMLElement,
  storage: Pick<Storage, 'setItem' | 'removeItem'>,
): void {
  if (theme === 'system') {
    delete root.dataset['theme']
    storage.removeItem(THEME_KEY)
  } else {
    root.dataset['theme'] = theme
    storage.setItem(THEME_KEY, theme)
  }
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
}
