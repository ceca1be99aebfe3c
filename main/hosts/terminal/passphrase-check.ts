import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { passphraseStrength } from '../../vault/passphrase-strength.ts'

export type PassphraseCheck =
  /** Nothing is stored yet, and would be under a passphrase that is soon guessed. */
  | { readonly kind: 'too-weak'; readonly line: string }
  /** Nothing is stored yet; the line says how strong it is. */
  | { readonly kind: 'new'; readonly line: string }
  /** It may have sealed keys already, and is soon guessed. */
  | { readonly kind: 'weak'; readonly line: string }
  | { readonly kind: 'strong'; readonly line?: undefined }

/**
 * What a person is told of HEADROOM_PASSPHRASE before it opens or seals the keys of a folder. One that sealed some
 * already goes on opening them.
 */
export function checkPassphrase(dataFolder: string, passphrase: string): PassphraseCheck {
  const { isEnough, time } = passphraseStrength(passphrase)
  const isNew = !existsSync(join(dataFolder, 'vault.db'))
  const said = `HEADROOM_PASSPHRASE would take ${time} to guess (an estimate, at 10,000 guesses a second)`
  if (isEnough)
    return isNew ? { kind: 'new', line: `${said}; the keys are sealed under it` } : { kind: 'strong' }
  const advice = 'four words that are in no book, or twelve random letters, are enough'
  return isNew
    ? { kind: 'too-weak', line: `${said}, which is too little: ${advice}` }
    : {
        kind: 'weak',
        line: `${said}: connect your keys in another folder (--data) under a better one; ${advice}`,
      }
}
