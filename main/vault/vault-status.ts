import type { KeystoreState } from '../../app/contract/key-health.ts'
import { PASSPHRASE_BACKEND } from '../ports/keystore.ts'

/** Why keys are not stored, or not all of them, and what a person can do about it. */
export interface StartTrouble {
  readonly state: Exclude<KeystoreState, 'ok' | 'memory'>
  readonly why: string
  /** The whole line for a window. */
  readonly line: string
  /** Present with `key-changed` where another kind of keystore sealed the keys, and still opens them. */
  readonly sealedBy?: 'desktop' | 'passphrase'
}

/**
 * The status of a vault that cannot be used as it should. The states ask for different things: a locked keyring for
 * a password, a changed key for the old keyring or a new sign-in, a damaged record for a new sign-in only.
 */
export const startTrouble = (state: StartTrouble['state'], why: string): StartTrouble => ({
  state,
  why,
  line: lineOf(state, why),
})

/** The status where another kind of keystore sealed the keys, as the desktop's where a passphrase is given. */
export function sealedElsewhere(backend: string): StartTrouble {
  const sealedBy = backend === PASSPHRASE_BACKEND ? 'passphrase' : 'desktop'
  // It comes from a file: anything but a name is not shown.
  const name = /^\w{1,40}$/.test(backend) ? ` (${backend})` : ''
  const { why, where } = {
    desktop: {
      why: `the desktop app sealed them with the system's keystore${name}`,
      where: 'Open them on the desktop',
    },
    passphrase: {
      why: 'they were sealed with a passphrase, in a browser or a terminal',
      where: 'Start with --host browser and that HEADROOM_PASSPHRASE',
    },
  }[sealedBy]
  return {
    state: 'key-changed',
    why,
    line: `The stored keys cannot be opened here: ${why}. They are kept. ${where}, or use another data folder.`,
    sealedBy,
  }
}

/** Why one token does not open, in a folder where both kinds of keystore sealed some. */
export function tokenSealedElsewhere(backend: string): string {
  const { sealedBy } = sealedElsewhere(backend)
  const [by, where] =
    sealedBy === 'passphrase'
      ? [
          'with a passphrase, in a browser or a terminal',
          'Start with --host browser and that HEADROOM_PASSPHRASE',
        ]
      : ["by the desktop app, with the system's keystore", 'Open it on the desktop']
  return `The stored token cannot be opened here: it was sealed ${by}. It is kept. ${where}; a new sign-in here takes its place.`
}

function lineOf(state: StartTrouble['state'], why: string): string {
  switch (state) {
    case 'no-passphrase':
      return 'Your saved keys are locked. Restart Headroom with HEADROOM_PASSPHRASE.'
    case 'unreadable':
      return `Your saved keys can't be opened: ${why}. Nothing was changed.`
    case 'waiting':
      return `Waiting for the stored keys: ${why}. Unlock it; this goes on by itself.`
    case 'unavailable':
      return `Keys are kept in memory only, until this app ends: ${why}. Nothing stored was changed.`
    case 'key-changed':
      return `The stored keys cannot be opened: ${why}. They are kept. Bring the former one back, or connect the key again.`
    case 'record-corrupt':
      return `A stored key is damaged: ${why}. It is kept aside. Connect that key again.`
    case 'unprotected':
      return `Keys are kept in memory only: ${why}, so that storing them would not protect them. Set up a keyring, or agree to store them unprotected.`
  }
}
