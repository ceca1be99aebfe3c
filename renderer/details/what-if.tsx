import { useId, useState } from 'react'
import { whatIfText } from '../../app/status/allowance.ts'
import { classesOf } from '../components/classes.ts'
import { typedNumber } from '../format/typed-number.ts'
import { useQuota } from '../state/window-parts.ts'
import sheet from './details.module.css'

const css = classesOf(sheet)

/** Maximum that the field accepts, in requests per second. No documented quota refills this fast. */
const MAX_PER_SECOND = 100

/** A field for additional requests per second, and the time at which the row would then run out. */
export function WhatIf({ category }: { readonly category: string }) {
  const id = useId()
  const [typed, setTyped] = useState('0.5')
  const added = addedPerSecond(typed)
  const outcome = useQuota(category, (quota, nowMs) =>
    added === undefined ? '' : whatIfText(quota, added, nowMs),
  )
  return (
    <div className={css('what-if')}>
      <label htmlFor={id}>If I add</label>
      <input
        id={id}
        inputMode="decimal"
        value={typed}
        aria-invalid={added === undefined}
        aria-describedby={`${id}-outcome`}
        onChange={(event) => setTyped(event.target.value)}
      />
      <span>/s:</span>
      <output id={`${id}-outcome`} htmlFor={id} data-testid="what-if">
        {added === undefined ? `Enter a number from 0 to ${MAX_PER_SECOND}.` : outcome}
      </output>
    </div>
  )
}

/** Requests per second as typed, with a decimal point or comma. `undefined` for any other text. */
export function addedPerSecond(typed: string): number | undefined {
  const value = typedNumber(typed)
  return value !== undefined && value <= MAX_PER_SECOND ? value : undefined
}
