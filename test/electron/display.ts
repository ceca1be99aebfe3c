import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const START_LIMIT_MS = 20_000

/** An X display for the tests alone. */
export interface Display {
  /** The value for DISPLAY. `undefined` if the system needs none. */
  readonly name: string | undefined
  close(): Promise<void>
}

/** Where on the PATH a program is; `undefined` where it is not. */
export function programPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/**
 * Starts an Xvfb on a display number that the kernel chooses. It ends with this process, even if this process
 * is killed.
 *
 * It has no access control, because Electron runs as another user if the tests run as root. It does not
 * listen on the network.
 */
export async function startDisplay(): Promise<Display> {
  if (process.platform !== 'linux') return { name: undefined, close: async () => {} }
  const xvfb = ['Xvfb', '-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp', '-ac']
  const withParent = programPath('setpriv') === undefined ? [] : ['setpriv', '--pdeathsig', 'KILL', '--']
  const [command = '', ...args] = [...withParent, ...xvfb]
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const number = await new Promise<string>((resolve, reject) => {
    let read = ''
    const timer = setTimeout(() => reject(new Error(`Xvfb gave no display in time: ${said}`)), START_LIMIT_MS)
    child.stdio[3]?.on('data', (bytes: Buffer) => {
      read += bytes.toString()
      if (!read.endsWith('\n')) return
      clearTimeout(timer)
      resolve(read.trim())
    })
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`Xvfb ended with ${code}: ${said}`)))
  })
  return {
    name: `:${number}`,
    close: async () => {
      child.kill()
      await exited
    },
  }
}
