import { fileURLToPath } from 'node:url'
import { defineConfig } from '@playwright/test'
import { chromiumArgs, findChromium } from '../browser/chromium.ts'
import { HOST_NAMES, type Host } from './host-window.ts'

const executablePath = findChromium()
const { CI } = process.env
const EVERY_HOST = /every-host\.spec\.ts$/

export default defineConfig<{ readonly host: Host }>({
  testDir: fileURLToPath(new URL('.', import.meta.url)),
  outputDir: fileURLToPath(new URL('../../test-results', import.meta.url)),
  // Each test has an app of its own; more at once would only make them wait for each other.
  workers: 1,
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
    // Recording slows each test; where there is a second try, that one is recorded.
    trace: CI !== undefined ? 'on-first-retry' : 'retain-on-failure',
  },
  // The name of each test says on which host it ran; where a host cannot run, its tests are skipped and counted.
  projects: HOST_NAMES.map((host) =>
    host === 'browser'
      ? { name: host }
      : // The double proves the wiring; what only takes long is shown by the others.
        {
          name: host,
          testMatch: EVERY_HOST,
          use: { host },
          ...(host === 'double' && { grepInvert: /@long/ }),
        },
  ),
})
