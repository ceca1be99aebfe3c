import { mutationSection } from '../mutation/section.ts'
import { type Origin, originWords } from './commit.ts'
import { allOutcomes, type Break, type Evidence, type Sabotage, type Simulation } from './evidence.ts'
import { PROMISE_IDS } from './promise-list.ts'
import { type PromiseStanding, STANDINGS, type Standing, standings } from './standing.ts'

type Since = (commit: string) => number | undefined

const WORDS: Readonly<Record<Standing, string>> = {
  failed: '**a test failed**',
  untried: '**not tried**',
  'break-survived': '**a break went unnoticed**',
  claimed: '**claimed**: no break of it was killed',
  'below-its-level': '**below its level**',
  kept: 'kept',
}

/** The page that says how far each promise can be believed, the weakest first. */
export function promisesPage(evidence: Evidence, now: Origin, since: Since): string {
  const rows = standings(evidence)
  return [
    '# Promises',
    '',
    'What Headroom promises, how hard each promise was tried, and whether its proof notices when the promise is broken on purpose. Written by `npm run promises` from what the tests said while they ran; nothing here is typed by hand. The weakest come first.',
    '',
    summary(rows),
    '',
    '| | | |',
    '|---|---|---|',
    ...sources(evidence, now, since),
    '',
    '**Levels.** 1: an example. 2: a property or an exhaustive sweep. 3: a fault on a real process or socket. 4: a real browser or the packaged build. Level 2 takes more than one case. **Breaks** are changes to the sources that still type-check and that one assertion of the named test has to notice; a crash or a timeout does not count. A promise without a killed break is only claimed. A test that failed counts against every promise that its file speaks of.',
    '',
    '| | promise | stands | level | tried | breaks killed |',
    '|---|---|---|---|---|---|',
    ...rows.map(row),
    '',
    ...simulated(evidence.simulation),
    ...mutationSection(evidence.mutation, since),
    '## How each was tried',
    '',
    ...[...rows].sort(byId).flatMap(details),
    ...others(allOutcomes(evidence.sabotage)),
  ].join('\n')
}

function summary(rows: readonly PromiseStanding[]): string {
  const counts = STANDINGS.map((name) => ({
    name,
    count: rows.filter(({ standing }) => standing === name).length,
  })).filter(({ count }) => count > 0)
  const parts = counts.map(({ name, count }) => `${count} ${PLAIN[name]}`)
  return `Of ${rows.length} promises: ${parts.reverse().join(', ')}.`
}

const PLAIN: Readonly<Record<Standing, string>> = {
  failed: 'with a failed test',
  untried: 'not tried',
  'break-survived': 'with a break that went unnoticed',
  claimed: 'only claimed',
  'below-its-level': 'below their level',
  kept: 'kept at their level, with every break killed',
}

function sources({ suites, sabotage, simulation }: Evidence, now: Origin, since: Since): readonly string[] {
  const { passed, failed, skipped } = suites
  const ended = failed === 0 ? `${count(passed)} passed, 0 failed` : `${passed} passed, **${failed} failed**`
  const cells = [
    [
      'tests',
      `${ended}${skipped > 0 ? `, ${skipped} skipped` : ''}`,
      originWords(suites, since(suites.commit)),
    ],
    breaksCell('breaks', sabotage, since),
    ...(sabotage.before ?? []).map((run) => breaksCell('breaks of an earlier run', run, since)),
    ...(simulation
      ? [['long simulation', simulationWords(simulation), originWords(simulation, since(simulation.commit))]]
      : [['long simulation', 'not run for this page', '']]),
    ['this page', '', originWords(now, 0)],
  ]
  return cells.map((line) => `| ${line.join(' | ')} |`)
}

function breaksCell(
  name: string,
  { outcomes, ...origin }: Pick<Sabotage, 'outcomes'> & Origin,
  since: Since,
): readonly string[] {
  const killed = outcomes.filter(({ result }) => result === 'killed').length
  return [name, `${killed} of ${outcomes.length} killed`, originWords(origin, since(origin.commit))]
}

function simulationWords({ seeds, virtualHours, failures }: Simulation): string {
  const ended = failures.length === 0 ? 'every law held' : `**${failures.length} failed**`
  return `${count(seeds)} seeds, ${count(Math.round(virtualHours))} virtual hours: ${ended}`
}

function row(one: PromiseStanding): string {
  const { id, text, wanted, reached, notRun, breaks, standing } = one
  const level = reached < wanted ? `${reached || '–'} of ${wanted}` : `${reached}`
  const why = notRun.map((line) => `level ${line.level} not run: ${line.why}`)
  const killed = breaks.filter(({ result }) => result === 'killed').length
  const cells = [
    `[${id}](#${id.toLowerCase()})`,
    cell(text),
    WORDS[standing],
    [level, ...new Set(why)].join('; '),
    tried(one),
    `${killed} of ${breaks.length}`,
  ]
  return `| ${cells.join(' | ')} |`
}

/** The highest level first, because that is what the others lead up to. */
function tried({ casesAt }: PromiseStanding): string {
  const parts = ([4, 3, 2, 1] as const)
    .filter((level) => casesAt[level] > 0)
    .map((level) => `${count(casesAt[level])} at ${level}`)
  return parts.length === 0 ? '–' : parts.join(', ')
}

function details({ id, text, proofs, notRun, breaks, failures }: PromiseStanding): readonly string[] {
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
    ...(breaks.length === 0 ? ['- never broken on purpose'] : []),
    '',
  ]
}

/** One line for each file, level and what it was tried on; a title is said once, however many rows its table has. */
function testLines(proofs: PromiseStanding['proofs']): readonly string[] {
  const files = new Map<
    string,
    { level: number; cases: number; names: string[]; file: string; on: string | undefined }
  >()
  for (const { file, level, cases, test, on } of proofs) {
    const key = `${level} ${file} ${on}`
    const known = files.get(key) ?? { level, cases: 0, names: [], file, on }
    files.set(key, { ...known, cases: known.cases + cases, names: [...known.names, test] })
  }
  return [...files.values()]
    .sort((a, b) => b.level - a.level || b.cases - a.cases)
    .map(({ level, cases, names, file, on }) => {
      const titles = [...new Set(names.map((name) => name.split(' > ').at(-1) ?? name))]
      const shown = titles.slice(0, MAX_NAMES).map((title) => `“${cell(title)}”`)
      const more = titles.length > MAX_NAMES ? ` and ${titles.length - MAX_NAMES} more` : ''
      const where = on === undefined ? '' : ` on ${cell(on)}`
      return `- level ${level}${where}, ${count(cases)} ${cases === 1 ? 'case' : 'cases'}, \`test/${file}\`: ${shown.join(', ')}${more}`
    })
}

const MAX_NAMES = 3

function breakLine({ what, result, by, said, test }: Break): string {
  if (result !== 'killed')
    return `- broken: ${cell(what)}: **${result.replaceAll('-', ' ')}** (\`test/${test}\`)`
  return `- broken: ${cell(what)}: killed by “${cell(by ?? test)}”: ${cell(said)}`
}

function simulated(simulation: Simulation | undefined): readonly string[] {
  if (!simulation) return []
  const { minutes, virtualHoursPerCoreHour, invariantsChecked, failures, faults } = simulation
  const injected = Object.entries(faults)
    .sort(([, a], [, b]) => b - a)
    .map(([name, times]) => `${name} ${count(times)}`)
  const checked =
    invariantsChecked === undefined ? '' : ` Laws were checked ${count(invariantsChecked)} times.`
  return [
    '## The long simulation',
    '',
    `The whole monitor against the service’s rules, in virtual time, with every law looked at in every step: ${simulationWords(simulation)}. It ran for ${count(Math.round(minutes))} minutes, ${count(Math.round(virtualHoursPerCoreHour))} virtual hours an hour on a core.${checked}`,
    '',
    ...failures.map((failure) => `- **broken**: ${cell(JSON.stringify(failure))}`),
    ...(failures.length > 0 ? [''] : []),
    ...(injected.length > 0
      ? [`What went wrong on purpose, and how often: ${cell(injected.join(', '))}.`, '']
      : []),
  ]
}

/** Breaks of what is looked after although no promise names it. */
function others(outcomes: readonly Break[]): readonly string[] {
  const unnamed = outcomes.filter(({ promise }) => !(PROMISE_IDS as readonly string[]).includes(promise))
  return unnamed.length === 0 ? [] : ['### Other breaks', '', ...unnamed.map(breakLine), '']
}

function byId(a: PromiseStanding, b: PromiseStanding): number {
  return PROMISE_IDS.indexOf(a.id) - PROMISE_IDS.indexOf(b.id)
}

function count(value: number): string {
  return value.toLocaleString('en')
}

/** Words of tests are data: no markup, no line ends, and no folder of the machine on which they were said. */
function cell(text: string): string {
  return text
    .replace(/(?:file:\/\/)?(?:\/[\w.@-]+){2,}\//g, '…/')
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>|#]/g, (mark) => `\\${mark}`)
    .trim()
}
