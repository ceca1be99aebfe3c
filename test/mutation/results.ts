import { z } from 'zod'
import { origin } from '../proof/commit.ts'

/** One change that no test of its folder noticed. */
const survivor = z.object({
  line: z.int(),
  mutator: z.string(),
  /** The text that replaces the source's text. */
  replacement: z.string(),
  /** No test runs the line at all. */
  isUncovered: z.boolean(),
})
export type Survivor = z.infer<typeof survivor>

const fileResult = z.object({
  ...origin.shape,
  killed: z.int(),
  /** Mutants that made a test wait forever. They count as noticed. */
  timedOut: z.int(),
  survivors: z.array(survivor),
})
export type FileResult = z.infer<typeof fileResult>

/** All results of `npm run mutate` so far. A file that is not listed was not tried. */
const mutationResults = z.object({
  seed: z.int(),
  /** Share of the lines of each file that are mutated. The seed selects them. */
  share: z.number(),
  /** Number of files to try in each folder. */
  folders: z.record(z.string(), z.int()),
  files: z.record(z.string(), fileResult),
})
export type MutationResults = z.infer<typeof mutationResults>

export function parseMutation(text: string): MutationResults {
  return mutationResults.parse(JSON.parse(text))
}

/** One line for each file. */
export function mutationText({ files, ...about }: MutationResults): string {
  const lines = Object.entries(files).map((file) => file.map((part) => JSON.stringify(part)).join(': '))
  return `${JSON.stringify(about).slice(0, -1)},"files": {\n${lines.join(',\n')}\n}}\n`
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
 * The results of the tried files in Stryker's report. A file without mutants in its selected lines is not in
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
