import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { useMirror } from '../state/window-parts.ts'
import sheet from './shell.module.css'

const css = classesOf(sheet)

/** The id of the part to which the first link leads. */
export const MAIN = 'quotas'

const TARGETS = [
  [`#${MAIN}`, 'Skip to the quotas'],
  ['[data-history] button', 'Skip to the chart'],
] as const

/**
 * Links that skip the header, shown while they have the focus. They are buttons, because the browser host
 * uses the fragment for its code.
 */
export function SkipLinks() {
  const hasProfile = useMirror((mirror) => mirror.snapshots.length > 0)
  if (!hasProfile) return null
  return (
    <nav className={css('skip')} aria-label="Skip">
      {TARGETS.map(([selector, words]) => (
        <Button key={selector} onClick={() => document.querySelector<HTMLElement>(selector)?.focus()}>
          {words}
        </Button>
      ))}
    </nav>
  )
}
