import { useState } from 'react'
import { classesOf } from '../components/classes.ts'
import { type NumberRange, numberIn } from '../format/typed-number.ts'
import sheet from './plan-programs.module.css'

const css = classesOf(sheet)

interface NumberFieldProps extends NumberRange {
  readonly label: string
  readonly value: number
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
      title={isWrong ? `From ${least} to ${most}, without a thousands separator` : undefined}
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
