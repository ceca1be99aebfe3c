import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/** As zxcvbn estimates it: how many guesses a program that knows people's habits needs. Never shown as a fact. */
export interface PassphraseStrength {
  readonly isEnough: boolean
  readonly guesses: number
  /** How long that takes at `GUESSES_PER_SECOND`, as the end of "would take". */
  readonly time: string
}

/** Three years at `GUESSES_PER_SECOND`: twelve random letters, or four random words with much to spare. */
export const MIN_GUESSES = 1e12

/** Each takes scrypt 128 MiB (passphrase-keystore.ts): what a rack of graphics cards has the memory for. */
const GUESSES_PER_SECOND = 10_000

const UNITS = [
  ['year', 365 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

/** Judges a passphrase that a new data key would be sealed under. Takes some milliseconds. */
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
