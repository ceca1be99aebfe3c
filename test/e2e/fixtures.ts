import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from '@playwright/test'
import type { SimulatorFlags } from '../../main/simulator/options.ts'
import { type SimulatorServer, startSimulatorServer } from '../../main/simulator/server.ts'
import { Problems } from './problems.ts'
import { type StartedProcess, startProcess } from './started-process.ts'

export interface Headroom extends StartedProcess {
  /** The first ready line's address, with its single-use code. */
  readonly url: string
  /** Where it listens, without the code. */
  readonly origin: string
  readonly dataFolder: string
}

export interface Options {
  /** Options of this test's simulator that differ from the defaults. */
  readonly simulatorOptions: Partial<SimulatorFlags>
  /** Flags of `headroom start` in addition to those of every test. */
  readonly headroomFlags: readonly string[]
}

export interface Fixtures {
  /**
   * This test's own service, in the process of the test, so that the test can use its clock, its faults and
   * its counts.
   */
  readonly simulator: SimulatorServer
  /** The app as people start it: a process of its own that serves the window. */
  readonly headroom: Headroom
  /** The test fails if anything is left in it. */
  readonly problems: Problems
}

export { expect }

export const test = base.extend<Options & Fixtures>({
  simulatorOptions: [{}, { option: true }],
  headroomFlags: [[], { option: true }],

  simulator: async ({ simulatorOptions }, use) => {
    const simulator = await startSimulatorServer(simulatorOptions)
    await use(simulator)
    await simulator.close()
  },

  headroom: async ({ headroomFlags, problems }, use) => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'headroom-e2e-'))
    const flags = ['--host', 'browser', '--no-open', '--port', '0', '--data', dataFolder]
    const started = await startProcess(['start', ...flags, ...headroomFlags], 'headroom ready: ')
    const url = started.ready[0] ?? ''
    await use({ ...started, url, origin: new URL(url).origin, dataFolder })
    problems.end()
    await started.stop()
    rmSync(dataFolder, { recursive: true, force: true })
  },

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from this pattern
  problems: async ({}, use) => {
    const problems = new Problems()
    await use(problems)
    expect(problems.left).toEqual([])
  },

  page: async ({ page, problems }, use) => {
    page.on('pageerror', (error) => problems.note(`page error: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error') problems.note(`console error: ${message.text()}`)
    })
    // Chromium reports most violations on the console, but not violations of a report-only policy.
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        console.error(`CSP violation: ${event.violatedDirective} ${event.blockedURI}`)
      })
    })
    await use(page)
  },
})
