import type { OpenUrl } from '../../ports/open-url.ts'
import { type AddressFileDeps, openByFile } from '../../storage/address-file.ts'
import type { ElectronPieces } from './electron-pieces.ts'

/**
 * Opens a web address in the person's browser.
 *
 * Main builds every address itself, and no command of a window carries one; this is the second lock. The system opens
 * whatever it is given (a program, a share, a call), so nothing but a web page gets through, and without TLS only one
 * of this machine.
 */
export function openExternally(
  shell: Pick<ElectronPieces['shell'], 'openExternal' | 'openPath'>,
  { platform, ...file }: OpenExternallyDeps,
): OpenUrl {
  // On Linux, Electron starts xdg-open with the address as its argument, which every user of the machine reads.
  const byFile = platform === 'linux' && openByFile({ ...file, openFile: (path) => openPath(shell, path) })
  return async (address) => {
    if (!mayBeOpened(address)) throw new Error('this is no address that may be opened')
    const { href } = new URL(address)
    if (byFile) return byFile(href)
    await shell.openExternal(href)
    return () => {}
  }
}

export interface OpenExternallyDeps extends Omit<AddressFileDeps, 'openFile'> {
  readonly platform: NodeJS.Platform
}

async function openPath(shell: Pick<ElectronPieces['shell'], 'openPath'>, path: string): Promise<void> {
  const problem = await shell.openPath(path)
  if (problem !== '') throw new Error(problem)
}

function mayBeOpened(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password } = new URL(address)
  if (username !== '' || password !== '') return false
  return (
    protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
  )
}
