import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plan } from '../../app/plan/plan.ts'
import { readPlan } from '../../app/plan/plan-file.ts'
import { verdictLine } from '../../app/plan/plan-words.ts'
import { plannedDay } from '../../app/plan/planned-day.ts'
import type { Arrival } from '../../app/plan/replay.ts'
import { replay } from '../../app/plan/replay.ts'
import { type PlanVerdict, planVerdict } from '../../app/plan/verdict.ts'
import { chanceFrom } from '../app/quota/chance.ts'

/**
 * The worst day that keeps to a plan: all bursts at once, the least urgent program first. After that, each
 * request comes as soon as the plan allows.
 */
function greedyDay(plan: Plan, lengthMs: number): readonly Arrival[] {
  const arrivals = plan.programs.toReversed().flatMap(({ name, requests }) =>
    requests.flatMap(({ category, perSecond, burst }) => {
      const steady = Math.floor((lengthMs * perSecond) / 1000)
      const moments = [
        ...Array.from({ length: burst }, () => 0),
        ...Array.from({ length: steady }, (_, at) => Math.ceil(((at + 1) * 1000) / perSecond)),
      ]
      return moments.map((atMs) => ({ atMs, program: name, category }))
    }),
  )
  return arrivals.sort((a, b) => a.atMs - b.atMs)
}

/** The path of the page. A test checks that it equals the text that the code writes. */
export const PLANS_PAGE = fileURLToPath(new URL('../PLANS.md', import.meta.url))

interface Example {
  readonly title: string
  readonly question: string
  /** The content of the plan file as a person writes it. */
  readonly file: object
}

const positions = (perSecond: number, burst: number) => [{ category: 'Positions', perSecond, burst }]

const EXAMPLES: readonly Example[] = [
  {
    title: 'Two programs with room to spare',
    question: 'An executor and a notebook read positions. Is there room for both?',
    file: {
      programs: [
        { name: 'executor', class: 'critical', requests: positions(0.2, 10) },
        { name: 'notebook', requests: positions(0.4, 40) },
      ],
    },
  },
  {
    title: 'A scanner that asks for nearly all at once',
    question:
      'A scanner asks for 280 positions every few minutes, in the background. Who waits, and for how long?',
    file: {
      programs: [
        { name: 'executor', class: 'critical', requests: positions(0.1, 10) },
        { name: 'scanner', class: 'background', requests: positions(0.6, 280) },
      ],
    },
  },
  {
    title: 'A critical program beside one that takes all it gets',
    question: 'A backtest asks without end. Does the executor still get through at once?',
    file: {
      programs: [
        { name: 'executor', class: 'critical', requests: positions(0.2, 20) },
        { name: 'backtest', class: 'background', requests: positions(0.8, 500) },
      ],
    },
  },
  {
    title: 'More than comes back',
    question: 'May a second scanner be added?',
    file: {
      programs: [
        { name: 'executor', class: 'critical', requests: positions(0.3, 10) },
        { name: 'scanner', requests: positions(0.6, 20) },
        { name: 'second scanner', class: 'background', requests: positions(0.6, 20) },
      ],
    },
  },
  {
    title: 'A smaller quota of one’s own',
    question: 'The key has 60 requests in 60 s, and five are to be kept back.',
    file: {
      programs: [
        { name: 'dashboard', requests: positions(0.5, 40) },
        { name: 'report', class: 'background', requests: positions(0.4, 20) },
      ],
      limits: { Positions: { limit: 60, period: 60 } },
      reserve: { Positions: 5 },
    },
  },
  {
    title: 'Streams',
    question: 'Two programs follow option chains, some of them the same.',
    file: {
      programs: [
        {
          name: 'scanner',
          streams: ['MSFT', 'SPY', 'QQQ', 'IWM', 'AAPL', 'TSLA'].map((symbol) => `option-chains:${symbol}`),
        },
        {
          name: 'notebook',
          streams: ['MSFT', 'SPY', 'NVDA', 'AMD', 'META'].map((symbol) => `option-chains:${symbol}`),
        },
      ],
    },
  },
]

const HOUR_MS = 3_600_000
const DAY_MS = 6.5 * HOUR_MS
/** A plan promises waits only for programs that wait long enough. */
const REPLAY = { maxWaitMs: 300_000, stretchMs: HOUR_MS }

/**
 * The page of worked examples. Each has a file, a verdict, and the result of a simulation of the same plan.
 */
export function plansPage(): string {
  return [
    '# Worked plans',
    '',
    'What `headroom plan` says of six files, and what came of each in a simulation: the gateway’s own scheduler before a service with',
    'the quota’s rule, in virtual time. Written by `npm run plan-examples`; nothing here is typed by hand.',
    '',
    'With L the limit, r what comes back a second, b and ρ bursts and rates, l the level at which a class may send (1 for critical, 1 + g',
    'for normal, 1 + 2g for background, g the reserve) and l′ that of the class after it:',
    '',
    '- a plan fits if Σρ ≤ r and Σb + g ≤ L in each category, and each stream has a slot, which equal ones share;',
    '- a request lacks at most min(Σb + l − L, b of its class and those before + l − l′) requests when it comes;',
    '- so it waits at most that over r − ρ of the classes before − ρ of the others of its class.',
    '',
    ...EXAMPLES.flatMap(exampleLines),
  ].join('\n')
}

function exampleLines({ title, question, file }: Example): readonly string[] {
  const read = readPlan(JSON.stringify(file))
  if (read.kind === 'wrong') throw new Error(`${title}: ${read.line}`)
  const { plan } = read
  const verdict = planVerdict(plan)
  return [
    `## ${title}`,
    '',
    question,
    '',
    '```json',
    ...fileLines(file),
    '```',
    '',
    `**${verdictLine(verdict)}**`,
    '',
    ...verdict.advice.flatMap((line) => [`- To make it fit: ${line}`]),
    ...(verdict.advice.length > 0 ? [''] : []),
    ...(verdict.categories.length > 0 ? checkLines(plan, verdict) : []),
  ]
}

/** The lines of a plan file, with one program per line. */
function fileLines(file: object): readonly string[] {
  const text = JSON.stringify(file)
  return text
    .replaceAll('{"name"', '\n  {"name"')
    .replaceAll('],"limits"', '],\n "limits"')
    .replaceAll('},"reserve"', '},\n "reserve"')
    .split('\n')
}

/** The guaranteed and the simulated waits, next to each other. */
function checkLines(plan: Plan, verdict: PlanVerdict): readonly string[] {
  const worst = waitsOf(plan, greedyDay(plan, HOUR_MS))
  const usual = waitsOf(plan, plannedDay(plan, DAY_MS, chanceFrom(1)))
  const rows = verdict.categories.flatMap(({ category, waits }) =>
    waits.map(({ program, worstSeconds }) => {
      const [greedy, day] = [worst, usual].map((waits) => waits.get(`${program}\n${category}`) ?? 'none')
      const bound = worstSeconds === null ? 'no bound' : `${worstSeconds.toFixed(1)} s`
      return `| ${program} | ${category} | ${bound} | ${greedy} | ${day} |`
    }),
  )
  return [
    '| program | category | worst wait, computed | all at once, then as fast as planned | an ordinary day |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ]
}

/**
 * Longest wait and refusals, by program and category. A 429 of the service would be a defect of the gateway.
 */
function waitsOf(plan: Plan, arrivals: readonly Arrival[]): ReadonlyMap<string, string> {
  const { waits, upstreamRefusals } = replay(plan, arrivals, REPLAY)
  if (upstreamRefusals > 0) throw new Error(`${upstreamRefusals} requests were refused by the service`)
  return new Map(
    waits.map(({ program, category, worstSeconds, refused }) => [
      `${program}\n${category}`,
      `${worstSeconds.toFixed(1)} s${refused === 0 ? '' : `, ${refused} timed out`}`,
    ]),
  )
}

if (import.meta.main) {
  writeFileSync(PLANS_PAGE, plansPage())
  process.stdout.write(`written: ${PLANS_PAGE}\n`)
}
