import { existsSync } from 'node:fs'

const USUAL_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** `HEADROOM_CHROMIUM` or a Chromium where distributions put it; `undefined` leaves it to Playwright's own. */
export function systemChromium(): { readonly executablePath?: string; readonly args: string[] } {
  const { HEADROOM_CHROMIUM } = process.env
  const executablePath = HEADROOM_CHROMIUM ?? USUAL_PATHS.find((path) => existsSync(path))
  // Chromium's own sandbox refuses to start as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox', '--disable-gpu'] : ['--disable-gpu']
  return executablePath === undefined ? { args } : { executablePath, args }
}
