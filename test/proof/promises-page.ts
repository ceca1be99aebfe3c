import { mutationLine, mutationSection } from '../mutation/section.ts'
import { originWords } from './commit.ts'
import type { Break, Evidence, Simulation } from './evidence.ts'
import { PROMISE_IDS } from './promise-list.ts'
import { type PromiseStanding, STANDINGS, type Standing, standings } from './standing.ts'

const WORDS: Readonly<Record<Standing, string>> = {
  failed: '**a test failed**',
  untried: '**not tested**',
  'break-survived': '**a break went unnoticed**',
  claimed: '**claimed**',
  'below-its-level': '**below its level**',
  kept: 'kept',
}

/**
 * The text of `test/PROMISES.md`: one row for each promise, from one run of one commit. Results of another
 * commit count as not run. The details are in `promisesDetails`.
 */
export function promisesPage(all: Evidence): string {
  const evidence = ofOneCommit(all)
  const rows = [...standings(evidence)].sort(byId)
  return [
    '# Promises',
    '',
    'What Headroom promises and how each promise is tested. Written by `npm run promises` from one run of every test and every break. Each release carries the details: every test, every break and the assertion that noticed it (`promises.md`).',
    '',
    ...sources(evidence).map((line) => `- ${line}`),
    '',
    '**Levels.** 1: an example. 2: a property or an exhaustive sweep. 3: a fault on a real process or socket. 4: a real browser or the packaged build. **Breaks** are changes to the source that still type-check and that an assertion of the named test must notice. A promise without a killed break is only claimed.',
    '',
    '| | promise | how it is tested | level | last full run |',
    '|---|---|---|---|---|',
    ...rows.map((one) => row(one, evidence)),
    '',
  ].join('\n')
}

/**
 * A release's attachment to the page. It lists each promise's tests and breaks, the surviving mutants and the
 * long simulation.
 */
export function promisesDetails(all: Evidence): string {
  const evidence = ofOneCommit(all)
  return [
    '# How each promise was tested',
    '',
    ...sources(evidence).map((line) => `- ${line}`),
    '',
    ...simulated(evidence.simulation),
    ...mutationSection(evidence.mutation),
    '## Promises',
    '',
    ...[...standings(evidence)].sort(byId).flatMap((one) => details(one, evidence)),
  ].join('\n')
}

/** Leaves out results of other commits than that of the tests. */
export function ofOneCommit({ suites, sabotage, simulation, mutation }: Evidence): Evidence {
  const isSame = ({ commit }: { readonly commit: string }) => commit === suites.commit
  return {
    suites,
    sabotage: sabotage && isSame(sabotage) ? sabotage : undefined,
    simulation: simulation && isSame(simulation) ? simulation : undefined,
    mutation: mutation && {
      ...mutation,
      files: Object.fromEntries(Object.entries(mutation.files).filter(([, file]) => isSame(file))),
    },
  }
}

function sources({ suites, sabotage, simulation, mutation }: Evidence): readonly string[] {
  const { passed, failed, skipped } = suites
  const rows = standings({ suites, sabotage, simulation, mutation })
  const counts = STANDINGS.toReversed()
    .map((name) => ({ name, count: rows.filter(({ standing }) => standing === name).length }))
    .filter((one) => one.count > 0)
    .map((one) => `${one.count} ${WORDS[one.name]}`)
  const killed = sabotage?.outcomes.filter(({ result }) => result === 'killed').length
  return [
    `run: ${originWords(suites)}`,
    `promises: ${counts.join(', ')}`,
    `tests: ${count(passed)} passed, ${failed === 0 ? '0' : `**${failed}**`} failed, ${skipped} skipped`,
    `breaks: ${sabotage ? `${killed} of ${sabotage.outcomes.length} killed` : NOT_RUN}`,
    `long simulation: ${simulation ? simulationWords(simulation) : NOT_RUN}`,
    `mutation testing: ${mutationLine(mutation) ?? NOT_RUN}`,
  ]
}

const NOT_RUN = '**not run**'

function row(one: PromiseStanding, { sabotage }: Evidence): string {
  const { id, text, wanted, reached, notRun, breaks, standing, failures } = one
  const level = reached < wanted ? `${reached || '–'} of ${wanted}` : `${reached}`
  const why = notRun.map((line) => `level ${line.level} not run: ${cell(line.why)}`)
  const killed = breaks.filter(({ result }) => result === 'killed').length
  const files = failures.map(({ file }) => `\`${file}\``)
  const last = [
    // Without a run of the breaks, a promise can't count as claimed, so the row only says that its tests
    // passed.
    sabotage === undefined && standing === 'claimed' ? 'tests passed' : WORDS[standing],
    ...new Set(files),
    sabotage === undefined ? `breaks ${NOT_RUN}` : `${killed} of ${breaks.length} breaks killed`,
    ...new Set(why),
  ]
  return `| ${id} | ${cell(text)} | ${testedIn(one)} | ${level} | ${last.join('; ')} |`
}

/** The file with the most cases at the highest level that was reached, and the number of other files. */
function testedIn({ proofs, reached }: PromiseStanding): string {
  const cases = new Map<string, number>()
  for (const proof of proofs) {
    if (proof.level === reached) cases.set(proof.file, (cases.get(proof.file) ?? 0) + proof.cases)
  }
  const [most] = [...cases].sort(([, a], [, b]) => b - a)
  if (most === undefined) return '–'
  const others = new Set(proofs.map(({ file }) => file)).size - 1
  const [file, tried] = most
  return `\`${file}\`, ${casesWords(tried)}${others > 0 ? `; ${others} more ${others === 1 ? 'file' : 'files'}` : ''}`
}

function details(
  { id, text, proofs, notRun, breaks, failures }: PromiseStanding,
  { sabotage }: Evidence,
): readonly string[] {
  return [
    `### ${id}`,
    '',
    cell(text),
    '',
    ...failures.map(({ file, test }) => `- **failed**: \`test/${file}\`: “${cell(test)}”`),
    ...testLines(proofs),
    ...notRun.map(({ file, level, why }) => `- level ${level}, **not run**: ${cell(why)} (\`test/${file}\`)`),
    ...(proofs.length + notRun.length === 0 ? ['- no test says that it proves this'] : []),
    ...breaks.map(breakLine),
    ...(breaks.length === 0 ? [sabotage ? '- never broken on purpose' : `- breaks: ${NOT_RUN}`] : []),
    '',
  ]
}

/**
 * One line for each combination of file, level and environment. The title of a test occurs once, even if its
 * table has many rows.
 */
function testLines(proofs: PromiseStanding['proofs']): readonly string[] {
  const groups = Map.groupBy(proofs, ({ file, level, on }) => `${level} ${file} ${on}`)
  return [...groups.values()]
    .map(([first, ...rest]) => ({
      ...first!,
      cases: [first!, ...rest].reduce((sum, { cases }) => sum + cases, 0),
      titles: [...new Set([first!, ...rest].map(({ test }) => test.split(' > ').at(-1) ?? test))],
    }))
    .sort((a, b) => b.level - a.level || b.cases - a.cases)
    .map(({ level, cases, titles, file, on }) => {
      const where = on === undefined ? '' : ` on ${cell(on)}`
      const said = titles.map((title) => `“${cell(title)}”`)
      return `- level ${level}${where}, ${casesWords(cases)}, \`test/${file}\`: ${said.join(', ')}`
    })
}

function breakLine({ what, result, by, said, test }: Break): string {
  if (result !== 'killed')
    return `- broken: ${cell(what)}: **${result.replaceAll('-', ' ')}** (\`test/${test}\`)`
  return `- broken: ${cell(what)}: killed by “${cell(by ?? test)}”: ${cell(said)}`
}

function simulationWords({ seeds, virtualHours, failures }: Simulation): string {
  const ended = failures.length === 0 ? 'every law held' : `**${failures.length} failed**`
  return `${count(seeds)} seeds, ${count(Math.round(virtualHours))} virtual hours: ${ended}`
}

function simulated(simulation: Simulation | undefined): readonly string[] {
  if (!simulation) return []
  const { minutes, invariantsChecked, failures, faults } = simulation
  const injected = Object.entries(faults)
    .sort(([, a], [, b]) => b - a)
    .map(([name, times]) => `${name} ${count(times)}`)
  return [
    '## The long simulation',
    '',
    `The whole monitor against the service’s rules, in virtual time, every law in every step: ${simulationWords(simulation)}. ${count(Math.round(minutes))} minutes${invariantsChecked === undefined ? '' : `, ${count(invariantsChecked)} checks of a law`}.`,
    '',
    ...failures.map((failure) => `- **broken**: ${cell(JSON.stringify(failure))}`),
    ...(injected.length > 0 ? [`- faults injected: ${cell(injected.join(', '))}`, ''] : ['']),
  ]
}

function byId(a: PromiseStanding, b: PromiseStanding): number {
  return PROMISE_IDS.indexOf(a.id) - PROMISE_IDS.indexOf(b.id)
}

const casesWords = (cases: number): string => `${count(cases)} ${cases === 1 ? 'case' : 'cases'}`

function count(value: number): string {
  return value.toLocaleString('en')
}

/**
 * Makes text of a test safe for a table: escapes markup, and removes line ends and folders of the machine.
 */
function cell(text: string): string {
  return text
    .replace(/(?:file:\/\/)?(?:\/[\w.@-]+){2,}\//g, '…/')
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>|#]/g, (mark) => `\\${mark}`)
    .trim()
}
