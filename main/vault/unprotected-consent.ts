import type { Outcome } from '../../app/contract/outcome.ts'
import type { Saved } from '../storage/storage-error.ts'
import type { VaultHandle } from './vault-handle.ts'

/** Stores a person's consent for later starts. An unprotected keystore is never used without consent. */
export type KeepConsent = () => Saved

/**
 * Stores keys in a keystore that does not protect them, after a person consented.
 *
 * This is possible only if nothing else prevents storing the keys (promise K2). Keys that were in memory are
 * stored when the keystore responds.
 */
export async function allowUnprotected(
  handle: Pick<VaultHandle, 'status' | 'askAgain'>,
  keep: KeepConsent | undefined,
): Promise<Outcome> {
  if (keep === undefined || handle.status.state !== 'unprotected') {
    const message = 'Your keys are protected. No consent is needed.'
    return { ok: false, code: 'not-needed', message }
  }
  const kept = keep()
  if (!kept.ok) {
    const message = `Nothing was saved: saving your consent failed (${kept.why}).`
    return { ok: false, code: 'not-kept', message }
  }
  const { state, line } = await handle.askAgain()
  if (state === 'ok') return { ok: true }
  return { ok: false, code: 'not-stored', message: line ?? 'Nothing is saved yet.' }
}
