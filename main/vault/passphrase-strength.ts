import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/** An estimate (zxcvbn) of how many guesses a passphrase takes a program that knows people's habits. */
export interface PassphraseStrength {
  readonly isEnough: boolean
  readonly guesses: number
  /** The time for them at `GUESSES_PER_SECOND`, as a text that ends "would take". */
  readonly time: string
}

/** The guesses that a passphrase has to take: three years at `GUESSES_PER_SECOND`, as for twelve random letters. */
export const MIN_GUESSES = 1e12

/** The rate of a rack of graphics cards: each guess takes scrypt 128 MiB (passphrase-keystore.ts). */
const GUESSES_PER_SECOND = 10_000

const UNITS = [
  ['year', 365 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

/** Estimates a passphrase that a new data key would be sealed under. Takes some milliseconds. */
export function passphraseStrength(passphrase: string): PassphraseStrength {
  const { guesses } = estimator.check(passphrase.normalize('NFKC'))
  return { isEnough: guesses >= MIN_GUESSES, guesses, time: timeOf(guesses / GUESSES_PER_SECOND) }
}

function timeOf(seconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => seconds >= size) ?? ['second', 1]
  const count = Math.max(1, Math.floor(seconds / length))
  if (unit === 'year' && count > 1_000) return 'more than 1,000 years'
  return `about ${count} ${unit}${count === 1 ? '' : 's'}`
}
