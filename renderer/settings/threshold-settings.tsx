import { type ChangeEvent, useCallback, useMemo } from 'react'
import type { Thresholds } from '../../app/contract/units.ts'
import type { WindowApi } from '../api/window-api.ts'
import { Refusal } from '../components/form.tsx'
import { useAnswer } from '../hooks/use-answer.ts'
import { useParts, useShown } from '../state/window-parts.ts'
import { percentOf, thresholdFrom } from './settings-text.ts'

/**
 * The thresholds below which a row is low, as shares of the limit. One threshold applies to all rows that do
 * not have their own.
 */
export function ThresholdSettings({ profile }: { readonly profile: string }) {
  const { api } = useParts()
  const ask = useCallback((main: WindowApi) => main.alertThresholds({ profile }), [profile])
  const { answer: thresholds, failure, take } = useAnswer(ask)
  const named = useShown((snapshot) => snapshot.requests.map(({ category }) => category).join('\n'))
  const categories = useMemo(() => (named ? named.split('\n') : []), [named])

  const change = (category: string | undefined, text: string) => {
    const below = thresholdFrom(text)
    if (below === 'not-a-share') return
    take(
      api.setAlertThreshold({
        profile,
        ...(category !== undefined && { category }),
        ...(below !== undefined && { below }),
      }),
    )
  }

  return (
    <>
      <h3>Alert below</h3>
      <p className="hint">Per cent of the limit. 0: no alert; empty: as “All rows”.</p>
      <Refusal words={failure} />
      {thresholds !== undefined && (
        <fieldset className="rows two" aria-label="Alert below (per cent)">
          <ShareField
            label="All rows"
            below={thresholds.below}
            onChange={(text) => change(undefined, text)}
          />
          {categories.map((category) => (
            <ShareField
              key={category}
              label={category}
              below={ownOf(thresholds, category)}
              otherwise={thresholds.below}
              onChange={(text) => change(category, text)}
            />
          ))}
        </fieldset>
      )}
    </>
  )
}

/** The row's own threshold. Uses `hasOwn`, because a category may have the name of a built-in property. */
const ownOf = ({ perCategory }: Thresholds, category: string): number | undefined =>
  Object.hasOwn(perCategory, category) ? perCategory[category] : undefined

interface ShareFieldProps {
  readonly label: string
  readonly below: number | undefined
  readonly otherwise?: number
  readonly onChange: (text: string) => void
}

function ShareField({ label, below, otherwise, onChange }: ShareFieldProps) {
  const changed = ({ target }: ChangeEvent<HTMLInputElement>) => onChange(target.value)
  return (
    <label className="line">
      <span>{label}</span>
      <input
        type="number"
        min={0}
        max={100}
        step={1}
        defaultValue={below === undefined ? '' : percentOf(below)}
        placeholder={otherwise === undefined ? '' : percentOf(otherwise)}
        onChange={changed}
      />
    </label>
  )
}
