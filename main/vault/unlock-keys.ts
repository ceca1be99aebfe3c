import type { Outcome } from '../../app/contract/outcome.ts'
import type { VaultHandle } from './vault-handle.ts'

/** Asks the system's keyring once more for the keys that it holds. */
export async function unlockKeys(handle: Pick<VaultHandle, 'askAgain'>): Promise<Outcome> {
  const { state, line } = await handle.askAgain()
  if (state === 'ok') return { ok: true }
  return { ok: false, code: 'still-locked', message: line ?? 'The saved keys are still locked.' }
}
