import { useState } from 'react'
import { classesOf } from '../components/classes.ts'
import sheet from './plan-programs.module.css'

const css = classesOf(sheet)

interface NumberFieldProps {
  readonly label: string
  readonly value: number
  readonly least: number
  readonly most: number
  /** Decimal places. 0 accepts only whole numbers. */
  readonly digits: number
  change(value: number): void
}

/**
 * A number input that also accepts a decimal comma. Invalid input is marked and changes nothing. When the
 * field loses the focus, invalid input is replaced by the last valid number.
 */
export function NumberField({ label, value, least, most, digits, change }: NumberFieldProps) {
  const [typed, setTyped] = useState<string>()
  const shown = typed ?? value.toFixed(digits)
  const isWrong = typed !== undefined && numberIn(typed, { least, most, digits }) === undefined
  return (
    <input
      className={css('number-field')}
      inputMode="decimal"
      aria-label={label}
      aria-invalid={isWrong}
      title={isWrong ? `From ${least} to ${most}` : undefined}
      value={shown}
      onChange={(event) => {
        setTyped(event.target.value)
        const number = numberIn(event.target.value, { least, most, digits })
        if (number !== undefined) change(number)
      }}
      onBlur={() => setTyped(undefined)}
    />
  )
}

/** A typed number, rounded to `digits`. `undefined` if it is out of range or not a number. */
export function numberIn(
  typed: string,
  { least, most, digits }: { readonly least: number; readonly most: number; readonly digits: number },
): number | undefined {
  if (!/^\s*\d*[.,]?\d+\s*$/.test(typed)) return undefined
  const number = Number(typed.trim().replace(',', '.'))
  if (digits === 0 && !Number.isInteger(number)) return undefined
  const rounded = Number(number.toFixed(digits))
  return rounded >= least && rounded <= most ? rounded : undefined
}
