import { expected, type ParsedFlag, parsed } from './parsed-flag.ts'

/** Longer than any run, and far enough from the 2³¹−1 ms that a timer can hold. */
const MAX_SECONDS = 2_000_000

export interface NumberRange {
  /** Exclusive lower bound; `atLeast` is the inclusive one. */
  readonly above?: number
  readonly atLeast?: number
  readonly atMost: number
  readonly unit: string
}

export const numberFlag =
  ({ above, atLeast, atMost, unit }: NumberRange) =>
  (text: string): ParsedFlag<number> => {
    const value = decimal(text)
    const low = above !== undefined ? `above ${above}, at most` : `from ${atLeast ?? 0} to`
    const fits =
      value !== undefined &&
      value <= atMost &&
      (above !== undefined ? value > above : value >= (atLeast ?? 0))
    return fits ? parsed(value) : expected(`a number of ${unit} ${low} ${atMost}`)
  }

/** A duration that has to be longer than nothing. */
export const secondsFlag = numberFlag({ above: 0, atMost: MAX_SECONDS, unit: 'seconds' })

/** A duration that may be nothing. */
export const secondsOrZeroFlag = numberFlag({ atLeast: 0, atMost: MAX_SECONDS, unit: 'seconds' })

/** 0 takes any free port. */
export function portFlag(text: string): ParsedFlag<number> {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  return port <= 65_535 ? parsed(port) : expected('a whole number from 0 to 65535')
}

/** Plain decimals only: `Number` also reads '', ' ', '0x10', '1e9' and 'Infinity'. */
export function decimal(text: string): number | undefined {
  return /^\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined
}
