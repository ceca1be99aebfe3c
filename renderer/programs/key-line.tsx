import { keyStatus } from '../../app/conditions/key-status.ts'
import { classesOf } from '../components/classes.ts'
import headlineSheet from '../components/headline.module.css'
import { Shape } from '../components/shape.tsx'
import { useShown } from '../state/window-parts.ts'
import { FindingChips } from '../verdict/finding-chips.tsx'
import { Detail, HeadlineRemedy, HeadlineRow, Spoken } from '../verdict/verdict-panel.tsx'
import sheet from './programs.module.css'

const css = classesOf({ ...headlineSheet, ...sheet })

/** The key's health in one line: its worst condition, and the number of further conditions. */
export function ProgramKeyLine() {
  const severity = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).severity) ?? 'unknown'
  const label = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).label)
  return (
    <section className={css('headline', 'key-line')} aria-label="Verdict" data-severity={severity}>
      <Shape severity={severity} label={label} />
      <h1>
        <HeadlineRow />
      </h1>
      <p>
        <Detail />
      </p>
      <HeadlineRemedy />
      <FindingChips />
      <Spoken />
    </section>
  )
}
