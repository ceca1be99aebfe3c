import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Display } from './display.ts'

/**
 * Presses keys in the app's window. They are events of the display, because menus do not receive the events
 * of a page's protocol.
 */
export async function pressKeys({ name: display = '' }: Display, keys: string): Promise<void> {
  const xdotool = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('xdotool', args, {
      env: { ...process.env, DISPLAY: display },
    })
    return stdout.trim()
  }
  const [window = '', another] = (await xdotool('search', '--onlyvisible', '--name', 'Headroom')).split('\n')
  if (another !== undefined) throw new Error('two windows on one display')
  // Without a window manager, the window does not get the focus by itself.
  await xdotool('windowfocus', '--sync', window)
  await xdotool('key', keys)
}
