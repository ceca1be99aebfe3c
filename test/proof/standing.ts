import type { Break, Evidence, Suites } from './evidence.ts'
import type { Failed } from './failed-tests.ts'
import { type Level, PROMISE_IDS, PROMISES, type PromiseId } from './promise-list.ts'
import type { RecordLine } from './record.ts'

type Proved = Extract<RecordLine, { kind: 'proved' }>
type NotRun = Extract<RecordLine, { kind: 'not-run' }>

/** The weakest is first. */
export const STANDINGS = [
  'failed',
  'untried',
  'break-survived',
  'claimed',
  'below-its-level',
  'kept',
] as const
export type Standing = (typeof STANDINGS)[number]

export interface PromiseStanding {
  readonly id: PromiseId
  readonly text: string
  readonly wanted: Level
  /** The highest level that tests proved. 0 if no test proved anything. */
  readonly reached: 0 | Level
  readonly standing: Standing
  readonly casesAt: Readonly<Record<Level, number>>
  readonly proofs: readonly Proved[]
  readonly notRun: readonly NotRun[]
  readonly breaks: readonly Break[]
  /** Failed tests in the files that name this promise. */
  readonly failures: readonly Failed[]
}

/** The standing of each promise, the weakest first. */
export function standings({ suites, sabotage }: Evidence): readonly PromiseStanding[] {
  return PROMISE_IDS.map((id) => standingOf(id, suites, sabotage?.outcomes ?? [])).sort(
    (a, b) =>
      STANDINGS.indexOf(a.standing) - STANDINGS.indexOf(b.standing) ||
      a.reached - a.wanted - (b.reached - b.wanted) ||
      a.reached - b.reached ||
      a.casesAt[a.wanted] - b.casesAt[b.wanted],
  )
}

function standingOf(
  id: PromiseId,
  { lines, failures: allFailures }: Suites,
  outcomes: readonly Break[],
): PromiseStanding {
  const { text, level: wanted } = PROMISES[id]
  const own = lines.filter(({ promise }) => promise === id)
  const proofs = own.filter((line) => line.kind === 'proved')
  const notRun = own.filter((line) => line.kind === 'not-run')
  const breaks = outcomes.filter(({ promise }) => promise === id)
  const failures = allFailures.filter(({ promises }) => promises.includes(id))
  const casesAt = { 1: 0, 2: 0, 3: 0, 4: 0 }
  for (const { level, cases } of proofs) casesAt[level] += cases
  const reached = reachedWith(casesAt)
  return {
    ...{ id, text, wanted, reached, casesAt, proofs, notRun, breaks, failures },
    standing: failures.length > 0 ? 'failed' : standing(reached, wanted, breaks),
  }
}

/** The highest level with enough cases. A sweep with a single case counts as an example. */
function reachedWith(casesAt: Readonly<Record<Level, number>>): 0 | Level {
  if (casesAt[4] > 0) return 4
  if (casesAt[3] > 0) return 3
  if (casesAt[2] > 1) return 2
  return casesAt[1] + casesAt[2] > 0 ? 1 : 0
}

function standing(reached: number, wanted: number, breaks: readonly Break[]): Standing {
  if (reached === 0) return 'untried'
  if (breaks.some(({ result }) => result !== 'killed')) return 'break-survived'
  if (breaks.length === 0) return 'claimed'
  return reached < wanted ? 'below-its-level' : 'kept'
}
