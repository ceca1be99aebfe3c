import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { findChromium } from './chromium.ts'

const STEP_LIMIT_MS = 5 * 60_000

export type Chromium =
  | { readonly kind: 'there'; readonly path: string }
  | { readonly kind: 'missing'; readonly line: string }

/** The machine's Chromium, or one that is fetched for it. The browser tests are never silently left out. */
export async function getChromium(say: (line: string) => void): Promise<Chromium> {
  const found = findChromium()
  if (found !== undefined) return { kind: 'there', path: found }
  for (const steps of waysToGetOne()) {
    for (const [command, ...args] of steps) {
      say(`no Chromium here; running ${[command, ...args].join(' ')} (at most 5 minutes) …`)
      if (!(await succeeds(command, args))) break
    }
    const fetched = findChromium()
    if (fetched !== undefined) return { kind: 'there', path: fetched }
  }
  return {
    kind: 'missing',
    line: 'No Chromium for the browser tests, and none could be installed. Install the package chromium, or set HEADROOM_CHROMIUM to its path.',
  }
}

type Step = readonly [command: string, ...args: string[]]

/** The system's own package brings the libraries it needs; Playwright's download does not. */
function waysToGetOne(): readonly (readonly Step[])[] {
  const playwright = join(
    dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')),
    'cli.js',
  )
  const download: readonly Step[] = [[process.execPath, playwright, 'install', 'chromium']]
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return [download]
  const install = (name: string): Step => ['apt-get', 'install', '-y', '--no-install-recommends', name]
  return [[['apt-get', 'update'], install('chromium-headless-shell')], [install('chromium')], download]
}

function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      // stdout is for the tests' own output; this output belongs on stderr.
      stdio: ['ignore', 2, 2],
      timeout: STEP_LIMIT_MS,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    child.on('error', () => resolve(false))
    child.on('exit', (code) => resolve(code === 0))
  })
}
