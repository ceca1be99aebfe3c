import type { KeystoreState } from '../../app/contract/key-health.ts'
import { PASSPHRASE_BACKEND } from '../ports/keystore.ts'

/** Why some or all keys are not stored, and what a person can do. */
export interface StartTrouble {
  readonly state: Exclude<KeystoreState, 'ok' | 'memory'>
  readonly why: string
  /** The complete text that a window shows. */
  readonly line: string
  /**
   * The kind of keystore that sealed the keys and can still open them. Present only if the state is
   * `key-changed` and the current keystore is of another kind.
   */
  readonly sealedBy?: 'desktop' | 'passphrase'
}

/**
 * The status of an unusable vault. Each state has its own remedy. A locked keyring needs its password, a
 * changed key needs the old keyring or a new sign-in, and a damaged record needs a new sign-in.
 */
export const startTrouble = (state: StartTrouble['state'], why: string): StartTrouble => ({
  state,
  why,
  line: lineOf(state, why),
})

/** The status if the keystore can't open the data key. A keyring may have changed; a passphrase is wrong. */
export function keyChanged(why: string, backend: string): StartTrouble {
  if (backend !== PASSPHRASE_BACKEND) return startTrouble('key-changed', `${why} (encrypted with ${backend})`)
  const line = `Your saved keys can't be opened: ${why}. Restart Headroom with the right HEADROOM_PASSPHRASE.`
  return { state: 'key-changed', why, line }
}

/**
 * The status if another kind of keystore sealed the keys. For example, the desktop's keyring sealed them, and
 * Headroom now runs with a passphrase.
 */
export function sealedElsewhere(backend: string): StartTrouble {
  const { sealedBy, by, where } = sealerOf(backend, 'them')
  // The name comes from a file, so it is shown only if it is a plain word.
  const name = sealedBy === 'desktop' && /^\w{1,40}$/.test(backend) ? ` (${backend})` : ''
  const why = `${by}${name}`
  return {
    state: 'key-changed',
    why,
    line: `Your saved keys can't be opened here: ${why}. ${where}, or use another data folder. Nothing was changed.`,
    sealedBy,
  }
}

/** Why a token that the other kind of keystore sealed can't be opened. */
export function tokenSealedElsewhere(backend: string): string {
  const { by, where } = sealerOf(backend, 'it')
  return `The saved token can't be opened here: ${by}. ${where}, or sign in again here.`
}

const sealerOf = (backend: string, what: 'them' | 'it') =>
  backend === PASSPHRASE_BACKEND
    ? ({
        sealedBy: 'passphrase',
        by: `a browser or terminal encrypted ${what} with a passphrase`,
        where: 'Start with --host browser and the same HEADROOM_PASSPHRASE',
      } as const)
    : ({
        sealedBy: 'desktop',
        by: `the desktop app encrypted ${what} with the system's keyring`,
        where: `Open ${what} on the desktop`,
      } as const)

function lineOf(state: StartTrouble['state'], why: string): string {
  switch (state) {
    case 'no-passphrase':
      return 'Your saved keys are locked. Restart Headroom with HEADROOM_PASSPHRASE.'
    case 'unreadable':
      return `Your saved keys can't be opened: ${why}. Nothing was changed.`
    case 'waiting':
      return `Waiting for your saved keys: ${why}. Unlock the keyring to continue.`
    case 'unavailable':
      return `Keys stay in memory until Headroom quits: ${why}. Saved keys were not changed.`
    case 'key-changed':
      return `Your saved keys can't be opened: ${why}. Restore the former keyring, or connect the key again.`
    case 'record-corrupt':
      return `A saved key is damaged: ${why}. Connect that key again.`
    case 'unprotected':
      return `Keys stay in memory: ${why}. Set up a keyring, or agree to save them unprotected.`
  }
}
