import { useCallback, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import type { Thresholds } from '../../app/contract/units.ts'
import type { WindowApi } from '../api/window-api.ts'
import { Refusal } from '../components/form.tsx'
import { useAnswer } from '../hooks/use-answer.ts'
import { useParts, useShown } from '../state/window-parts.ts'
import { DraftField } from './draft-field.tsx'
import { percentOf, thresholdFrom } from './settings-text.ts'

const NOTHING: ReadonlyMap<string | undefined, number | undefined> = new Map()

/**
 * The thresholds below which a row is low, as shares of the limit. One threshold applies to all rows that do
 * not have their own.
 */
export function ThresholdSettings({ profile }: { readonly profile: string }) {
  const { api, live } = useParts()
  const ask = useCallback((main: WindowApi) => main.alertThresholds({ profile }), [profile])
  // Uses the live state even in a paused window, because the fields show the present thresholds.
  const inForce = useStore(live.mirror, ({ snapshots }) =>
    snapshots
      .find((one) => one.profile.id === profile)
      ?.requests.map(({ threshold }) => threshold)
      .join(),
  )
  const { answer: thresholds, failure, take } = useAnswer(ask, inForce)
  const named = useShown((snapshot) => snapshot.requests.map(({ category }) => category).join('\n'))
  const categories = useMemo(() => (named ? named.split('\n') : []), [named])
  /** The thresholds as first shown, and those that this window has set since. Others are another window's. */
  const [first, setFirst] = useState<Thresholds>()
  const [own, setOwn] = useState(NOTHING)
  if (first === undefined && thresholds !== undefined) setFirst(thresholds)

  const change = (category: string | undefined, below: number | undefined) =>
    take(
      api
        .setAlertThreshold({
          profile,
          ...(category !== undefined && { category }),
          ...(below !== undefined && { below }),
        })
        .then((set) => {
          setOwn((before) => new Map(before).set(category, belowOf(set, category)))
          return set
        }),
    )

  return (
    <>
      <h3>Alert below</h3>
      <p className="hint">Per cent of the limit. 0: no alert; empty: as “All rows”.</p>
      <Refusal words={failure} />
      {thresholds !== undefined && (
        <fieldset className="rows two" aria-label="Alert below (per cent)">
          {[undefined, ...categories].map((category) => {
            const below = belowOf(thresholds, category)
            const known = own.has(category) ? own.get(category) : belowOf(first ?? thresholds, category)
            return (
              <DraftField
                key={category ?? ''}
                label={category ?? 'All rows'}
                inputMode="decimal"
                current={below === undefined ? '' : percentOf(below)}
                {...(category !== undefined && { placeholder: percentOf(thresholds.below) })}
                isElsewhere={below !== known}
                read={thresholdFrom}
                onChoose={(chosen) => change(category, chosen)}
              />
            )
          })}
        </fieldset>
      )}
    </>
  )
}

/**
 * The threshold of all rows, or the own threshold of one row. Uses `hasOwn`, because a category may have the
 * name of a built-in property.
 */
function belowOf({ below, perCategory }: Thresholds, category: string | undefined): number | undefined {
  if (category === undefined) return below
  return Object.hasOwn(perCategory, category) ? perCategory[category] : undefined
}
