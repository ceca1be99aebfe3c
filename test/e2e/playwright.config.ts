import { fileURLToPath } from 'node:url'
import { defineConfig } from '@playwright/test'
import { chromiumArgs, findChromium } from '../browser/chromium.ts'
import { part, THOROUGH_TAG } from '../thorough.ts'
import type { Host } from './host-window.ts'

const executablePath = findChromium()
const { CI } = process.env
const EVERY_HOST = /every-host\.spec\.ts$/
const WINDOW = /\/window\/[^/]+\.spec\.ts$/
/** By its tag, or as a whole file: Playwright looks for it in both. */
const THOROUGH = new RegExp(`${THOROUGH_TAG}|hostile-(?:pages|requests)\\.spec`)
/** Of this run: see thorough.ts. */
const chosen = part() === 'quick' ? { grepInvert: THOROUGH } : part() === 'thorough' ? { grep: THOROUGH } : {}
const TIMED = /(first-paint|lost-window)\.spec\.ts$/

const DOUBLE = {
  name: 'double',
  testMatch: EVERY_HOST,
  workers: 1,
  use: { host: 'double' as const },
  grepInvert: /@long/,
}

export default defineConfig<{ readonly host: Host }>({
  testDir: fileURLToPath(new URL('.', import.meta.url)),
  outputDir: fileURLToPath(new URL('../../test-results', import.meta.url)),
  globalSetup: fileURLToPath(new URL('./window/build-once.ts', import.meta.url)),
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: CI !== undefined,
  // A shared machine stalls for seconds at times; what needed a second try is counted and named at the end.
  retries: CI !== undefined ? 1 : 0,
  reporter: 'list',
  use: {
    launchOptions: {
      args: chromiumArgs(),
      ...(executablePath !== undefined && { executablePath }),
    },
    viewport: { width: 1280, height: 800 },
    actionTimeout: 10_000,
    // Recording slows each test by a fifth: only a second try is recorded, or a run with `--trace on`.
    trace: 'on-first-retry',
  },
  // The name of each test says what showed its window; where a host cannot run, its tests are skipped and counted.
  projects: [
    // The sign-in takes a fixed port, and Electron most of a core: tests with an app come one by one.
    { name: 'browser', testIgnore: [WINDOW, TIMED], workers: 1, ...chosen },
    // These have the window alone, on a scripted host, and share nothing.
    { name: 'window', testMatch: WINDOW, fullyParallel: true, ...chosen },
    { name: 'electron', testMatch: EVERY_HOST, workers: 1, use: { host: 'electron' as const }, ...chosen },
    // The double proves the wiring; what only takes long is shown by the others.
    ...(part() === 'quick' ? [] : [DOUBLE]),
    // What is held against a clock has the machine to itself.
    {
      name: 'timed',
      testMatch: TIMED,
      workers: 1,
      ...chosen,
      dependencies: ['browser', 'window', 'electron', ...(part() === 'quick' ? [] : [DOUBLE.name])],
    },
  ],
})
