import { dirname } from 'node:path/posix'
import type { FileResult, MutationResults } from './results.ts'
import { KNOWN_SURVIVORS } from './survivors.ts'

/** The results of mutation testing by folder, with each survivor. */
export function mutationSection(results: MutationResults | undefined): readonly string[] {
  const line = mutationLine(results)
  if (results === undefined || line === undefined) return ['## Mutation testing', '', 'Not run.', '']
  const tried = Object.entries(results.files)
  return [
    '## Mutation testing',
    '',
    `StrykerJS changes the sources in small ways (conditions, operators, calls, blocks; no texts) and asks the unit tests of the folder alone whether they notice; tests of processes and fuzz are left out, so that a survivor may be noticed by those. ${sampleWords(results)} ${line}.`,
    '',
    '| folder | files tried | mutants | noticed | score |',
    '|---|---|---|---|---|',
    ...Object.entries(results.folders).map(([folder, count]) => {
      const own = tried.filter(([file]) => dirname(file) === folder).map(([, result]) => result)
      return `| \`${folder}\` | ${own.length} of ${count} | ${mutantsOf(own)} | ${noticedOf(own)} | ${scoreOf(own)} |`
    }),
    '',
    ...tried.flatMap(([file, { survivors }]) => survivors.map((survivor) => survivorLine(file, survivor))),
    '',
  ]
}

/** `312 of 338 mutants noticed (92.3 %), in 40 of 120 files`. `undefined` if no file was tried. */
export function mutationLine(results: MutationResults | undefined): string | undefined {
  const tried = Object.values(results?.files ?? {})
  if (results === undefined || tried.length === 0) return undefined
  const files = Object.values(results.folders).reduce((sum, count) => sum + count, 0)
  return `${noticedOf(tried)} of ${mutantsOf(tried)} mutants noticed (${scoreOf(tried)}), in ${tried.length} of ${files} files`
}

/** Says which share of the lines was mutated, so that a sample does not look complete. */
function sampleWords({ seed, share }: MutationResults): string {
  return share >= 1
    ? 'Every line was mutated.'
    : `A sample: ${Math.round(share * 100)} % of the lines of each file that was tried, drawn by seed ${seed}.`
}

const noticedOf = (results: readonly FileResult[]): number =>
  results.reduce((sum, { killed, timedOut }) => sum + killed + timedOut, 0)

const mutantsOf = (results: readonly FileResult[]): number =>
  results.reduce((sum, { survivors }) => sum + survivors.length, noticedOf(results))

function scoreOf(results: readonly FileResult[]): string {
  const mutants = mutantsOf(results)
  return mutants === 0 ? '–' : `${((100 * noticedOf(results)) / mutants).toFixed(1)} %`
}

function survivorLine(
  file: string,
  { line, mutator, replacement, isUncovered }: FileResult['survivors'][number],
): string {
  const known = KNOWN_SURVIVORS.find(
    (one) =>
      one.file === file && (one.replacement ?? replacement) === replacement && (one.line ?? line) === line,
  )
  const shown = replacement.replace(/[`|]/g, ' ')
  const how = isUncovered ? 'no test of the folder runs it' : 'no test of the folder noticed'
  return `- \`${file}\` line ${line}, ${mutator} → \`${shown}\`: ${how}; ${known?.reason ?? '**no reason yet**'}`
}
