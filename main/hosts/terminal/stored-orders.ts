import { type ControlAnswer, failedAnswer } from '../../control/protocol.ts'
import { lockedVault, NOT_STORED } from './stored-keys.ts'

/**
 * Stops the orders of one key or of all keys in a data folder that no app is using. The orders stay stopped
 * at the next start. The keys need not be opened.
 */
export async function stopStored(
  folder: string,
  profile: string | undefined,
  wallMs: () => number,
): Promise<ControlAnswer> {
  const opening = await lockedVault(folder, wallMs)
  if (opening.kind === 'nothing-stored')
    return failedAnswer(`no Headroom is running on ${folder}${NOT_STORED}`)
  if (opening.kind === 'failed') return failedAnswer(opening.line)
  const { handle, close } = opening
  try {
    // This closes the vault if its profiles can't be read.
    const stored = handle.storedProfiles().filter(({ id }) => profile === undefined || id === profile)
    const { vault } = handle
    if (vault === undefined) return failedAnswer(`the keys in ${folder} can't be read`)
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
    close()
  }
}
