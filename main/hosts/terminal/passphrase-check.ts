import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/** The result of the check, with a line for the person if needed. */
export type PassphraseCheck =
  /** No keys are stored, and the passphrase is too weak to store any. */
  | { readonly kind: 'too-weak'; readonly line: string }
  /** No keys are stored. The line shows the passphrase's strength. */
  | { readonly kind: 'new'; readonly line: string }
  /** The folder might contain keys, and the passphrase is weak. */
  | { readonly kind: 'weak'; readonly line: string }
  | { readonly kind: 'strong'; readonly line?: undefined }

/**
 * Checks HEADROOM_PASSPHRASE before it opens or encrypts the keys of a folder, and returns the result.
 *
 * A weak passphrase still opens the keys that were sealed with it.
 */
export function checkPassphrase(dataFolder: string, passphrase: string): PassphraseCheck {
  const { isEnough, time } = passphraseStrength(passphrase)
  const isNew = !existsSync(join(dataFolder, 'vault.db'))
  if (isEnough)
    return isNew ? { kind: 'new', line: 'keys encrypted with HEADROOM_PASSPHRASE' } : { kind: 'strong' }
  const weakness = `HEADROOM_PASSPHRASE is weak: 10,000 guesses a second would find it in ${time}`
  const advice = 'four random words, or twelve random letters'
  return isNew
    ? { kind: 'too-weak', line: `${weakness}; choose ${advice}` }
    : {
        kind: 'weak',
        line: `${weakness}; connect your keys in another folder (--data) with a stronger one: ${advice}`,
      }
}

/** zxcvbn's estimate of how many guesses a dictionary attack on a passphrase needs. */
interface PassphraseStrength {
  readonly isEnough: boolean
  readonly guesses: number
  /** How long `guesses` take at `GUESSES_PER_SECOND`, as a text that follows "guessed in". */
  readonly time: string
}

/**
 * Required number of guesses: three years at `GUESSES_PER_SECOND`. zxcvbn estimates this number for twelve
 * random letters.
 */
const MIN_GUESSES = 1e12

/**
 * Guesses per second of an attacker with a rack of graphics cards. Each guess runs scrypt with 128 MiB
 * (passphrase-keystore.ts).
 */
const GUESSES_PER_SECOND = 10_000

const UNITS = [
  ['year', 365 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

/** Estimates the strength of a passphrase. Takes some milliseconds. */
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
