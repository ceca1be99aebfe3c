import type { Outcome } from '../../../app/contract/outcome.ts'
import { isSafe } from '../../../app/service/service-origin.ts'
import type { OpenUrl } from '../../ports/ports.ts'
import { type AddressFileDeps, openByFile } from '../../storage/address-file.ts'
import { restoreFileMask } from '../../storage/private-files.ts'
import type { ElectronPieces } from './electron-pieces.ts'

/**
 * Opens a web address in the person's browser.
 *
 * The main process builds every address, so this check is a second line of defence. For an address that is
 * not a web page, the system would start a program, open a network share or dial a number. So only web pages
 * are allowed, and http only on loopback.
 */
export function openExternally(
  shell: Pick<ElectronPieces['shell'], 'openExternal' | 'openPath'>,
  { platform, ...file }: OpenExternallyDeps,
): OpenUrl {
  // On Linux, Electron would pass the address to xdg-open as an argument, and every user of the machine can
  // read arguments. So the address is passed in a file.
  const byFile = platform === 'linux' && openByFile({ ...file, openFile: (path) => openPath(shell, path) })
  return async (address) => {
    if (!mayBeOpened(address)) throw new Error('this address must not be opened')
    const { href } = new URL(address)
    if (byFile) return byFile(href)
    await shell.openExternal(href)
    return () => {}
  }
}

export interface OpenExternallyDeps extends Omit<AddressFileDeps, 'openFile'> {
  readonly platform: NodeJS.Platform
}

/** Opens a folder in the system's file manager. */
export const openFolder =
  (shell: Pick<ElectronPieces['shell'], 'openPath'>) =>
  async (folder: string): Promise<Outcome> => {
    try {
      await openPath(shell, folder)
      return { ok: true }
    } catch {
      return { ok: false, code: 'not-opened', message: `The data folder is ${folder}.` }
    }
  }

async function openPath(shell: Pick<ElectronPieces['shell'], 'openPath'>, path: string): Promise<void> {
  const started = restoreFileMask()
  const problem = await shell.openPath(path).finally(started)
  if (problem !== '') throw new Error(problem)
}

const mayBeOpened = (address: string): boolean => URL.canParse(address) && isSafe(new URL(address))
