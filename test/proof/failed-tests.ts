import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { PROMISE_IDS, type PromiseId } from './promise-list.ts'

/**
 * A failed test with all promises that its file names. It is not checked to which of them the test belongs.
 */
export interface Failed {
  readonly file: string
  readonly test: string
  readonly promises: readonly PromiseId[]
}

const tests = fileURLToPath(new URL('..', import.meta.url))

const vitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
})

const playwrightSuite = z.object({
  specs: z.array(z.object({ title: z.string(), file: z.string(), ok: z.boolean() })),
  get suites() {
    return z.array(playwrightSuite).optional()
  },
})
const playwrightReport = z.object({
  config: z.object({ rootDir: z.string() }),
  suites: z.array(playwrightSuite),
})

/**
 * The failed tests of a Vitest report. A file that did not load, or whose setup failed, has failed as a
 * whole.
 */
export function failedUnits(report: unknown): readonly Failed[] {
  return vitestReport.parse(report).testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((result) => result.status === 'failed')
    if (failed.length === 0 && status === 'failed') return [failedIn(name, 'the file as a whole')]
    return failed.map(({ fullName }) => failedIn(name, fullName))
  })
}

export function failedInBrowser(report: unknown): readonly Failed[] {
  const { config, suites } = playwrightReport.parse(report)
  const specsIn = (
    suite: z.infer<typeof playwrightSuite>,
  ): { title: string; file: string; ok: boolean }[] => [
    ...suite.specs,
    ...(suite.suites ?? []).flatMap(specsIn),
  ]
  return suites
    .flatMap(specsIn)
    .filter(({ ok }) => !ok)
    .map(({ file, title }) => failedIn(join(config.rootDir, file), title))
}

function failedIn(path: string, test: string): Failed {
  return { file: relative(tests, path).replaceAll('\\', '/'), test, promises: promisesIn(sourceOf(path)) }
}

/** The promises that a test file names. */
export function promisesIn(source: string): readonly PromiseId[] {
  if (!/proof\/proves/.test(source)) return []
  return PROMISE_IDS.filter((id) => source.includes(`'${id}'`))
}

function sourceOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
