import { type Finding, keyFindings } from '../../app/conditions/key-status.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { countText } from '../../app/status/rates.ts'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import { useMedia } from '../hooks/use-media.ts'
import { useParts, useShownValue } from '../state/window-parts.ts'
import sheet from './verdict.module.css'

const css = classesOf(sheet)

/** Maximum number of chips, including the chip that counts further findings. */
const MAX_CHIPS = 3
const ROOMY = '(min-width: 1380px), (max-width: 1099px)'

/** A finding without its row, because the row changes with every snapshot. */
export type ShownFinding = Omit<Finding, 'row' | 'problem'>

export const shownFindings = (snapshot: Snapshot, nowMs: number): readonly ShownFinding[] =>
  keyFindings(snapshot, nowMs).map(({ row: _, problem: __, ...finding }) => finding)

/**
 * All findings except the headline's, as chips. If not all fit, the last chip shows how many are left out. A
 * click on a chip opens the full list.
 */
export function FindingChips() {
  const { view } = useParts()
  const isRoomy = useMedia(ROOMY)
  const [, ...others] = useShownValue(shownFindings) ?? []
  if (others.length === 0) return null
  const chips = isRoomy ? others.slice(0, others.length > MAX_CHIPS ? MAX_CHIPS - 1 : MAX_CHIPS) : []
  const more = others.length - chips.length
  const openList = () => view.setState({ dialog: 'findings' })
  return (
    <div className={css('chips')}>
      {chips.map(({ aspect, severity, subject, label, note }) => (
        <button
          key={`${aspect} ${subject} ${label}`}
          type="button"
          className={css('chip')}
          data-severity={severity}
          title={`${[subject, label, note].filter(Boolean).join(' ')}. Opens the full list.`}
          onClick={openList}
        >
          <Shape severity={severity} label={label} />
          <b className="word">{label}</b>
          <span className="cut">{[subject, note].filter(Boolean).join(', ')}</span>
        </button>
      ))}
      {more > 0 && (
        <button
          type="button"
          className={css('chip')}
          data-testid="more-findings"
          title={`Opens the list of all ${countText(others.length + 1, 'finding')}.`}
          onClick={openList}
        >
          +{more} more
        </button>
      )}
    </div>
  )
}
