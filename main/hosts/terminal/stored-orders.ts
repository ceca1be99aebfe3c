import { type ControlAnswer, failedAnswer } from '../../control/protocol.ts'
import { lockDataFolder } from '../../storage/lock.ts'
import { whyNotTrusted } from '../../storage/private-files.ts'
import { mayHoldKeys } from '../../vault/vault-file.ts'
import { VaultHandle } from '../../vault/vault-handle.ts'
import { NOT_STORED } from './stored-keys.ts'

/**
 * Stops the orders of one key or of all keys in a data folder that no app is using. The orders stay stopped
 * at the next start. The keys need not be opened.
 */
export async function stopStored(
  folder: string,
  profile: string | undefined,
  wallMs: () => number,
): Promise<ControlAnswer> {
  if (!mayHoldKeys(folder)) return failedAnswer(`no Headroom is running on ${folder}${NOT_STORED}`)
  const distrust = whyNotTrusted(folder)
  if (distrust !== undefined) return failedAnswer(`the keys in ${folder} aren't safe to use: ${distrust}`)
  const lock = lockDataFolder(folder, { pid: process.pid, host: 'terminal' })
  if (lock.kind !== 'held') return failedAnswer(lock.line)
  const handle = await VaultHandle.open({ folder, wallMs })
  try {
    const { vault } = handle
    if (vault === undefined) return failedAnswer(`the keys in ${folder} can't be read`)
    const stored = vault.profiles().filter(({ id }) => profile === undefined || id === profile)
    if (profile !== undefined && stored.length === 0)
      return failedAnswer(`no key '${profile}' is saved in ${folder}`)
    for (const { id, about } of stored) {
      if (about?.orders === undefined) continue
      const saved = vault.keepSettings({ ...about, id, orders: 'stopped' })
      if (!saved.ok)
        return failedAnswer(`orders of ${about.name} aren't stopped: saving failed (${saved.why})`)
    }
    return { ok: true, stopped: true }
  } finally {
    handle.close()
    lock.release()
  }
}
