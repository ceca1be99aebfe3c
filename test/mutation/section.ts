import { type Origin, originWords } from '../proof/commit.ts'
import type { FileResult, MutationResults } from './results.ts'
import { KNOWN_SURVIVORS } from './survivors.ts'

/** What mutation testing came to, by folder, and each survivor; `undefined` stands for not run. */
export function mutationSection(
  results: MutationResults | undefined,
  since: (commit: string) => number | undefined,
): readonly string[] {
  if (results === undefined) return ['## Mutation testing', '', 'Not run for this page.', '']
  const tried = Object.entries(results.files)
  const folders = Object.entries(results.folders)
  const all = tried.map(([, result]) => result)
  return [
    '## Mutation testing',
    '',
    `StrykerJS changes the sources in small ways (conditions, operators, calls, blocks; no texts) and asks the unit tests of the folder alone whether they notice; tests of processes and fuzz are left out, so that a survivor may be noticed by those. ${sampleWords(results)} ${scoreOf(all)} in all.`,
    '',
    '| folder | files tried | mutants | noticed | score |',
    '|---|---|---|---|---|',
    ...folders.map(([folder, count]) => {
      const own = tried.filter(([file]) => file.startsWith(`${folder}/`)).map(([, result]) => result)
      return `| \`${folder}\` | ${own.length} of ${count} | ${mutantsOf(own)} | ${noticedOf(own)} | ${scoreOf(own)} |`
    }),
    '',
    ...originsOf(all, since),
    '',
    ...tried.flatMap(([file, { survivors }]) => survivors.map((survivor) => survivorLine(file, survivor))),
    '',
  ]
}

/** Never as if all had been tried. */
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

function originsOf(
  results: readonly Origin[],
  since: (commit: string) => number | undefined,
): readonly string[] {
  const latest = new Map(results.map((result) => [result.commit, result]))
  return [...latest.values()].map((result) => `- tried at ${originWords(result, since(result.commit))}`)
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
