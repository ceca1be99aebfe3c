import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { useMirror } from '../state/window-parts.ts'
import sheet from './shell.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** The id of the part that the first link leads to. */
export const MAIN = 'quotas'

const TARGETS = [
  [`#${MAIN}`, 'Skip to the quotas'],
  ['[data-history] button', 'Skip to the chart'],
] as const

/**
 * Shown while focused: past the header to what the keyboard is for. Buttons, because a fragment is the
 * browser's code.
 */
export function SkipLinks() {
  const hasProfile = useMirror((mirror) => mirror.snapshots.length > 0)
  if (!hasProfile) return null
  return (
    <nav className={css('skip')} aria-label="Skip">
      {TARGETS.map(([selector, words]) => (
        <button
          key={selector}
          type="button"
          className={css('button')}
          onClick={() => document.querySelector<HTMLElement>(selector)?.focus()}
        >
          {words}
        </button>
      ))}
    </nav>
  )
}
