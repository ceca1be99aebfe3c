import type { CurrentKeySettings } from '../../app/contract/settings.ts'
import { intervalOf } from './changed-settings.ts'
import { DraftField } from './draft-field.tsx'
import { secondsFrom } from './settings-text.ts'
import type { HeldKeySettings } from './use-key-settings.ts'

interface ProbeIntervalsProps {
  readonly current: CurrentKeySettings
  readonly elsewhere: HeldKeySettings['elsewhere']
  readonly change: HeldKeySettings['change']
}

/** The check intervals by category, collapsed at first. */
export function ProbeIntervals({ current, elsewhere, change }: ProbeIntervalsProps) {
  const { everySeconds } = current.settings
  const choose = (category: string, seconds: number | undefined) =>
    change((now) => {
      const { [category]: _, ...others } = now.everySeconds
      return { everySeconds: seconds === undefined ? others : { ...others, [category]: seconds } }
    })
  return (
    <details className="more">
      <summary>Rows with their own interval: {Object.keys(everySeconds).length || 'none'}</summary>
      <p className="hint">Seconds between checks, regardless of the budget. 0: never; empty: by budget.</p>
      {/* The label distinguishes these rows from other settings with the same names. */}
      <fieldset className="rows two" aria-label="Seconds between checks">
        {current.probed.map((category) => (
          <DraftField
            key={category}
            label={category}
            inputMode="decimal"
            current={String(everySeconds[category] ?? '')}
            isElsewhere={elsewhere.has(intervalOf(category))}
            read={secondsFrom}
            onChoose={(seconds) => choose(category, seconds)}
          />
        ))}
      </fieldset>
    </details>
  )
}
