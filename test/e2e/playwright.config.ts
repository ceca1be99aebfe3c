import { fileURLToPath } from 'node:url'
import { defineConfig } from '@playwright/test'
import { chromiumArgs, findChromium } from '../browser/chromium.ts'
import { LONG_TAG, part, THOROUGH_TAG } from '../thorough.ts'
import type { Host } from './host-window.ts'

const executablePath = findChromium()
const { CI } = process.env
const EVERY_HOST = /every-host\.spec\.ts$/
const WINDOW = /\/window\/[^/]+\.spec\.ts$/
/** By its tag, or as a whole file: Playwright looks for it in both. */
const THOROUGH = new RegExp(`${THOROUGH_TAG}|hostile-(?:pages|requests)\\.spec`)
/** Of this run: see thorough.ts. */
const chosen = part() === 'quick' ? { grepInvert: THOROUGH } : part() === 'thorough' ? { grep: THOROUGH } : {}
const LONG = new RegExp(LONG_TAG)
const chosenOnElectron =
  part() === 'quick'
    ? { grepInvert: [THOROUGH, LONG] }
    : part() === 'thorough'
      ? { grep: [THOROUGH, LONG] }
      : {}

export default defineConfig<{ readonly host: Host }>({
  testDir: fileURLToPath(new URL('.', import.meta.url)),
  outputDir: fileURLToPath(new URL('../../test-results', import.meta.url)),
  globalSetup: fileURLToPath(new URL('./window/build-once.ts', import.meta.url)),
  // One more than the cores: tests with an app of their own mostly wait for it.
  workers: 3,
  // For a machine with a fraction of the speed: at a load of 10 some steps took 8 s.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  forbidOnly: CI !== undefined,
  // A shared machine stalls for seconds at times; what needed a second try is counted and named at the end.
  retries: 1,
  reporter: 'list',
  use: {
    launchOptions: {
      args: chromiumArgs(),
      ...(executablePath !== undefined && { executablePath }),
    },
    viewport: { width: 1280, height: 800 },
    actionTimeout: 20_000,
    // Recording slows each test by a fifth: only a second try is recorded, or a run with `--trace on`.
    trace: 'on-first-retry',
  },
  // The name of each test says what showed its window; where a host cannot run, its tests are skipped and
  // counted.
  projects: [
    // Each has an app of its own. The sign-in takes fixed ports, and is one file: a file's tests come one by
    // one.
    { name: 'browser', testIgnore: WINDOW, workers: 2, ...chosen },
    // Electron takes most of a core.
    {
      name: 'electron',
      testMatch: EVERY_HOST,
      workers: 1,
      use: { host: 'electron' as const },
      ...chosenOnElectron,
    },
    // These have the window alone, on a scripted host, and share nothing. Last, because they fill any gap.
    { name: 'window', testMatch: WINDOW, fullyParallel: true, ...chosen },
  ],
})
