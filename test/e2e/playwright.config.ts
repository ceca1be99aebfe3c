import { fileURLToPath } from 'node:url'
import { defineConfig } from '@playwright/test'
import { chromiumArgs, findChromium } from '../browser/chromium.ts'
import { LONG_TAG, part, THOROUGH_TAG } from '../thorough.ts'
import type { Host } from './host-window.ts'

const executablePath = findChromium()
const { CI } = process.env
const EVERY_HOST = /every-host\.spec\.ts$/
const WINDOW = /\/window\/[^/]+\.spec\.ts$/
/** Matches the tag of a test or the name of a whole file. Playwright searches for the pattern in both. */
const THOROUGH = new RegExp(`${THOROUGH_TAG}|hostile-requests\\.spec`)
/** Selects the tests of this run by their tag (see thorough.ts). */
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
  // One more worker than cores, because tests with their own app spend most of the time waiting for it.
  workers: 3,
  // Allows for slow machines: at a load of 10, some steps took 8 s.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  forbidOnly: CI !== undefined,
  // A shared machine sometimes stalls for seconds. Tests that needed a second try are counted and named at
  // the end.
  retries: 1,
  reporter: 'list',
  use: {
    launchOptions: {
      args: chromiumArgs(),
      ...(executablePath !== undefined && { executablePath }),
    },
    viewport: { width: 1280, height: 800 },
    actionTimeout: 20_000,
    // Recording makes each test a fifth slower. So only second tries are recorded, and runs with `--trace
    // on`.
    trace: 'on-first-retry',
  },
  // The project's name shows what displayed the window. If a host can't run, its tests are skipped and
  // counted.
  projects: [
    // Each test has its own app. The sign-in tests need fixed ports, so they are in one file: its tests run
    // one after the other.
    { name: 'browser', testIgnore: WINDOW, workers: 2, ...chosen },
    // Electron needs most of a core.
    {
      name: 'electron',
      testMatch: EVERY_HOST,
      workers: 1,
      use: { host: 'electron' as const },
      ...chosenOnElectron,
    },
    // These tests run the window alone with a scripted host, and share nothing. They are last, because they
    // fill idle workers.
    { name: 'window', testMatch: WINDOW, fullyParallel: true, ...chosen },
  ],
})
