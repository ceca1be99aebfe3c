/** Digits, with a decimal point or comma. */
const NUMBER = /^\d{0,9}[.,]?\d{1,9}$/
/** Digits only, because in a whole number `1.000` may mean 1000 or 1. */
const WHOLE = /^\s*\d+\s*$/
/** Matches `1,000`, which may mean 1000 or 1. */
const GROUPED = /^[1-9]\d{0,2},\d{3}$/

/**
 * A number of 0 or more, as a person typed it. `undefined` for any other text, and for a thousands separator,
 * which would be read as a decimal comma.
 */
export function typedNumber(typed: string): number | undefined {
  const text = typed.trim()
  return NUMBER.test(text) && !GROUPED.test(text) ? Number(text.replace(',', '.')) : undefined
}

export interface NumberRange {
  readonly least: number
  readonly most: number
  /** Decimal places. 0 accepts only whole numbers. */
  readonly digits: number
}

/** A typed number, rounded to `digits`. `undefined` for a number out of range, or as in `typedNumber`. */
export function numberIn(typed: string, { least, most, digits }: NumberRange): number | undefined {
  const number = typedNumber(typed)
  if (number === undefined || (digits === 0 && !WHOLE.test(typed))) return undefined
  const rounded = Number(number.toFixed(digits))
  return rounded >= least && rounded <= most ? rounded : undefined
}
