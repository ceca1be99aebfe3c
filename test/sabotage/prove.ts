import { join } from 'node:path'
import { browserResults } from './browser-report.ts'
import type { Proof } from './registry.ts'
import { type TestRun, testRunOf } from './test-run.ts'
import { unitResults } from './unit-report.ts'
import type { Workshop } from './workshop.ts'

const REPORT = 'sabotage-report.json'
const SLOWEST_FILE_MS = 240_000

export const nameOf = ({ test, grep }: Proof): string => (grep === undefined ? test : `${test} › ${grep}`)

export const needsBrowser = ({ test }: Proof): boolean => test.endsWith('.spec.ts')

/** These tests use the built app. The specs of the window have their own build, on a scripted host. */
const needsBuild = ({ test }: Proof): boolean =>
  /^(?:desktop|packaging)\//.test(test) || (needsBrowser({ test }) && !test.startsWith('e2e/window/'))

export async function prove(workshop: Workshop, proof: Proof): Promise<TestRun> {
  if (needsBuild(proof)) {
    const why = await workshop.build()
    if (why !== undefined) return { kind: 'broken', why: `the build failed: ${why}` }
  }
  return needsBrowser(proof) ? inBrowser(workshop, proof) : unit(workshop, proof)
}

/** Runs each proof once. All proofs without a browser are in one run, which is quicker. */
export async function proveAll(
  workshop: Workshop,
  proofs: readonly Proof[],
): Promise<ReadonlyMap<string, TestRun>> {
  const byName = new Map(proofs.map((proof) => [nameOf(proof), proof]))
  const runs = new Map<string, TestRun>()
  const files = [...byName.values()].filter((proof) => !needsBrowser(proof)).map(({ test }) => test)
  if (proofs.some(needsBuild)) await workshop.build()
  const report = files.length > 0 && (await unitReport(workshop, files))
  for (const file of files) runs.set(file, testRunOf(unitResults(report, file)))
  for (const [name, proof] of byName) {
    // A test that failed in the common run may only have lacked time, so it runs again alone.
    if (runs.get(name)?.kind !== 'green') runs.set(name, await prove(workshop, proof))
  }
  return runs
}

async function unit(workshop: Workshop, { test }: Proof): Promise<TestRun> {
  return testRunOf(unitResults(await unitReport(workshop, [test])))
}

function unitReport(workshop: Workshop, files: readonly string[]): Promise<unknown> {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs')
  const flags = [
    '--config',
    'test/vitest.config.ts',
    '--reporter=json',
    `--outputFile.json=${reportPath(workshop)}`,
  ]
  return workshop.reported([vitest, 'run', ...flags, ...files], REPORT, {
    timeoutMs: files.length * SLOWEST_FILE_MS,
  })
}

async function inBrowser(workshop: Workshop, { test, grep }: Proof): Promise<TestRun> {
  const playwright = join('node_modules', '@playwright', 'test', 'cli.js')
  const flags = [
    '--config',
    'test/e2e/playwright.config.ts',
    '--reporter=json',
    '--trace=off',
    '--retries=0',
    '--no-deps',
  ]
  const only = grep === undefined ? [] : ['--grep', literally(grep)]
  const report = await workshop.reported([playwright, 'test', ...flags, ...only, literally(test)], REPORT, {
    timeoutMs: SLOWEST_FILE_MS,
    environment: { PLAYWRIGHT_JSON_OUTPUT_FILE: reportPath(workshop) },
  })
  return testRunOf(browserResults(report))
}

const reportPath = (workshop: Workshop): string => join(workshop.folder, REPORT)

/** A pattern that matches exactly this text. */
const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
