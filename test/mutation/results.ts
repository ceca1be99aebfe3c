import { z } from 'zod'
import { origin } from '../proof/commit.ts'

/** One change that no test of its folder noticed. */
const survivor = z.object({
  line: z.int(),
  mutator: z.string(),
  /** What stands in the place of the source's text. */
  replacement: z.string(),
  /** No test runs the line at all. */
  isUncovered: z.boolean(),
})
export type Survivor = z.infer<typeof survivor>

const fileResult = z.object({
  ...origin.shape,
  killed: z.int(),
  /** The mutant made a test wait without end, which counts as noticed. */
  timedOut: z.int(),
  survivors: z.array(survivor),
})
export type FileResult = z.infer<typeof fileResult>

/** What `npm run mutate` found so far, file by file; a file that is not in it was not tried. */
const mutationResults = z.object({
  seed: z.int(),
  /** Of the lines of each file, which the seed drew. */
  share: z.number(),
  /** By folder, how many files there are to try. */
  folders: z.record(z.string(), z.int()),
  files: z.record(z.string(), fileResult),
})
export type MutationResults = z.infer<typeof mutationResults>

export function parseMutation(text: string): MutationResults {
  return mutationResults.parse(JSON.parse(text))
}

const strykerReport = z.object({
  files: z.record(
    z.string(),
    z.object({
      mutants: z.array(
        z.object({
          mutatorName: z.string(),
          replacement: z.string().optional(),
          status: z.string(),
          location: z.object({ start: z.object({ line: z.int() }) }),
        }),
      ),
    }),
  ),
})

/**
 * Stryker's report, as results of the files that were tried: one whose drawn lines hold no mutant is not in
 * the report.
 */
export function resultsOf(
  report: unknown,
  from: z.infer<typeof origin>,
  tried: readonly string[] = [],
): Readonly<Record<string, FileResult>> {
  const { files } = strykerReport.parse(report)
  const mutated = Object.fromEntries(
    Object.entries(files).map(([file, { mutants }]) => {
      const with_ = (status: string) => mutants.filter((mutant) => mutant.status === status)
      const survivors = [...with_('Survived'), ...with_('NoCoverage')].map(
        ({ mutatorName, replacement = '', status, location }) => ({
          line: location.start.line,
          mutator: mutatorName,
          replacement: replacement.replace(/\s+/g, ' ').slice(0, 80),
          isUncovered: status === 'NoCoverage',
        }),
      )
      const result = { ...from, killed: with_('Killed').length, timedOut: with_('Timeout').length, survivors }
      return [file, result]
    }),
  )
  const none: FileResult = { ...from, killed: 0, timedOut: 0, survivors: [] }
  return { ...Object.fromEntries(tried.map((file) => [file, none])), ...mutated }
}
