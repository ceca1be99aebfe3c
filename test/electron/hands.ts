import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Display } from './display.ts'

/**
 * Presses keys in the app's window, as the display's own events, which menus hear and a page's protocol
 * cannot make.
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
  // There is no window manager that would give it the focus.
  await xdotool('windowfocus', '--sync', window)
  await xdotool('key', keys)
}
