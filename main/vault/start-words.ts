import type { KeystoreState } from '../../app/contract/snapshot.ts'

/** Why keys are not stored, or not all of them, and what a person can do about it. */
export interface StartTrouble {
  readonly state: Exclude<KeystoreState, 'ok' | 'memory'>
  readonly why: string
  /** For a window, where keys are connected and keyrings unlocked. */
  readonly line: string
}

/**
 * One line for each way in which a start finds the store. Told apart because they ask for different things:
 * a locked keyring for a password, a changed key for the old keyring or a new sign-in, a damaged record for a
 * new sign-in only.
 */
export const startTrouble = (state: StartTrouble['state'], why: string): StartTrouble => ({
  state,
  why,
  line: lineOf(state, why),
})

function lineOf(state: StartTrouble['state'], why: string): string {
  switch (state) {
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
