import type { OpenUrl } from '../ports/open-url.ts'
import type { ElectronPieces } from './electron-pieces.ts'

/**
 * Opens a web address in the person's browser.
 *
 * Main builds every address itself, and no command of a window carries one; this is the second lock. The system opens
 * whatever it is given (a program, a share, a call), so nothing but a web page gets through, and without TLS only one
 * of this machine.
 */
export const openExternally =
  (shell: Pick<ElectronPieces['shell'], 'openExternal'>): OpenUrl =>
  async (address) => {
    if (!mayBeOpened(address)) throw new Error('this is no address that may be opened')
    await shell.openExternal(new URL(address).href)
  }

function mayBeOpened(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password } = new URL(address)
  if (username !== '' || password !== '') return false
  return (
    protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
  )
}
