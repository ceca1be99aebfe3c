import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { PROBED_CATEGORIES } from '../../app/service/categories.ts'
import { quantile } from '../bench/result.ts'
import { sumOf } from '../desk-machines/desk-counts.ts'
import { BUILT, type DeskMachine } from '../desk-machines/desk-machine.ts'
import { DeskPrograms, type PolledPaths } from '../desk-machines/desk-programs.ts'
import { HeaderToRow } from '../desk-machines/header-to-row.ts'
import { StartedDesk } from '../desk-machines/started-desk.ts'
import { within } from '../desk-machines/within.ts'
import { type KnownGaps, wrongCounts } from './desk-sums.ts'
import { type LevelSample, levelErrors } from './level-errors.ts'

export interface DeskProofAsked {
  readonly minutes: number
  readonly seed: number
  /** The path of the NATS server's program. */
  readonly nats: string
  readonly say: (line: string) => void
}

export interface DeskProof {
  readonly figures: Readonly<Record<string, number | string>>
  readonly aims: readonly { readonly what: string; readonly isMet: boolean }[]
}

const AIMS = { levelError: 0.2, othersPerSecond: 0.02, headerToRowMs: 150, lostMs: 6_000 } as const
const FROZEN_MS = 30_000
const AWAY_MS = 20_000
const SAMPLE_MS = 1_000
const SETTLE_MS = 10_000
/** Tolerance for the number of checks, because their times vary by a tenth. */
const CHECKS_TOLERANCE = 1.1
/** Requests of a killed member from its last moments may count as others', in milliseconds. */
const LAST_MOMENT_MS = 100

const account = (rest: string) => `/v3/brokerage/accounts/SIM1001/${rest}`
const watches: PolledPaths = { paths: [account('positions'), account('balances')], everyMs: 1_670 }
const follows: PolledPaths = { paths: [account('orders'), '/v3/brokerage/accounts'], everyMs: 1_670 }
const scans: PolledPaths = { paths: ['/v3/marketdata/quotes/MSFT'], everyMs: 3_330 }
/** Only one machine requests these, so every header of this row is from that machine. */
const expirations: PolledPaths = { paths: ['/v3/marketdata/options/expirations/MSFT'], everyMs: 2_500 }
const FOLLOWED = 'Option Expirations'

/** Twelve programs. Together they use nine tenths of the refill of five quotas. */
const POLLS: Readonly<Record<string, PolledPaths>> = {
  'position-watcher': watches,
  'order-follower': follows,
  'quote-scanner': scans,
  'expiry-reader': expirations,
  'balance-watcher': watches,
  'account-follower': follows,
  'quote-notebook': scans,
  'volume-scanner': scans,
  'risk-hedger': watches,
  'order-reporter': follows,
  'quote-recorder': scans,
  'spread-scanner': scans,
}
const PROGRAMS = Object.keys(POLLS)
const MACHINES = {
  WORKSTATION: PROGRAMS.slice(0, 4),
  NOTEBOOK: PROGRAMS.slice(4, 8),
  CLOSET: PROGRAMS.slice(8),
}
/** The quotas that all machines use, with their limits. Half of each is used up at the start. */
const SHARED = {
  Accounts: 320,
  Balances: 320,
  Positions: 320,
  'Order Details': 320,
  'Quote Snapshot': 500,
} as const
const PERIOD_SECONDS = 300

/** Runs three machines for `minutes` and measures them. */
export async function deskProof({ minutes, seed, nats, say }: DeskProofAsked): Promise<DeskProof> {
  const alreadySpent = Object.fromEntries(Object.entries(SHARED).map(([row, limit]) => [row, limit / 2]))
  const common = { nats, headroom: BUILT, service: { alreadySpent } }
  const desk = await StartedDesk.prepare({ ...common, machines: MACHINES, records: true })
  const lone = await StartedDesk.prepare({ ...common, machines: { ALONE: PROGRAMS } })
  try {
    return await measured(desk, lone, { minutes, seed, say })
  } finally {
    await desk.end()
    await lone.end()
  }
}

async function measured(
  desk: StartedDesk,
  lone: StartedDesk,
  { minutes, seed, say }: Omit<DeskProofAsked, 'nats'>,
): Promise<DeskProof> {
  const { key, machines } = desk
  const { startedMs: startMs } = key
  const [workstation, notebook, closet] = machines as [DeskMachine, DeskMachine, DeskMachine]
  const acceptedMs = new Map<string, number[]>()
  const checks = { desk: 0, alone: 0 }
  const calmChecks = { desk: 0, alone: 0 }
  key.onAnswer(({ category, isAccepted, atMs }) => {
    if (!isAccepted) return
    const all = acceptedMs.get(category) ?? []
    acceptedMs.set(category, all)
    all.push(atMs)
  })
  await Promise.all([desk.start(), ...lone.machines.map((machine) => machine.start())])
  if ((await within(SETTLE_MS, () => desk.notJoined())).length > 0) throw new Error('no desk came about')
  await desk.counts.begin()
  let killedMs: number | undefined
  const bySelf = (of: keyof typeof checks) => (answer: { readonly program: string | undefined }) => {
    if (answer.program === undefined) checks[of] += 1
    if (answer.program === undefined && killedMs === undefined) calmChecks[of] += 1
  }
  key.onAnswer(bySelf('desk'))
  lone.key.onAnswer(bySelf('alone'))
  const killedOnes: { readonly category: string; readonly atMs: number }[] = []
  key.onAnswer(({ machine, category, isAccepted, atMs }) => {
    if (machine === notebook.name && isAccepted) killedOnes.push({ category, atMs })
  })
  const programs = new DeskPrograms(machines, POLLS, seed)
  const lonePrograms = new DeskPrograms(lone.machines, POLLS, seed)
  say(`three machines, ${PROGRAMS.length} programs, ${minutes} minutes`)

  const samples = new Samples(machines)
  const ways = [notebook, closet].map(
    (to) => new HeaderToRow(key, { from: workstation, to, category: FOLLOWED }),
  )
  const untilMs = Date.now() + minutes * 60_000
  const part = (share: number) => pause(Math.max(0, untilMs - (1 - share) * minutes * 60_000 - Date.now()))

  await part(0.3)
  const lostBefore = workstation.told('desk-member-lost', notebook.name)
  const beforeKillMs = Date.now()
  await notebook.kill()
  const atKillMs = Date.now()
  killedMs = atKillMs
  say(`${notebook.name} was killed`)
  await within(3 * AIMS.lostMs, () =>
    workstation.told('desk-member-lost', notebook.name) > lostBefore ? [] : ['not lost'],
  )
  const lostMs = Date.now() - atKillMs
  await pause(Math.max(0, atKillMs + AWAY_MS - Date.now()))
  desk.counts.forget(notebook)
  const restartMs = Date.now()
  await notebook.start()
  say(`${notebook.name} runs again`)

  await part(0.6)
  closet.freeze()
  say(`${closet.name} is frozen`)
  await pause(FROZEN_MS)
  closet.thaw()
  say(`${closet.name} continues`)

  await part(1)
  samples.stop()
  for (const way of ways) way.end()
  await Promise.all([programs.stop(), lonePrograms.stop()])
  await pause(2 * SAMPLE_MS)
  const { unanswered } = programs
  const lastMoment = killedOnes.filter(({ atMs }) => atMs <= atKillMs && atMs > beforeKillMs - LAST_MOMENT_MS)
  const isOfKilled = (one: (typeof unanswered)[number]) =>
    one.machine === notebook.name && one.atMs < restartMs
  const gaps: KnownGaps = {
    unanswered: (machine, row) =>
      unanswered.filter((one) => one.machine === machine && one.category === row && !isOfKilled(one)).length,
    checks: (machine) => (machine === closet.name ? 1 : 0),
    lastMoment: (row) => lastMoment.filter(({ category }) => category === row).length,
    diedWith: (row) => unanswered.filter((one) => isOfKilled(one) && one.category === row).length,
  }
  const wrong = await within(SETTLE_MS, async () => wrongCounts(await desk.counts.compared(), gaps))
  const differences = await desk.counts.differences()
  const rows = Object.fromEntries(
    Object.entries(SHARED).map(([row, limit]) => [
      row,
      {
        rule: { limit, periodSeconds: PERIOD_SECONDS, window: 'rolling' as const },
        ...{ startLevel: limit / 2, startMs, acceptedMs: acceptedMs.get(row) ?? [] },
      },
    ]),
  )
  const errors = levelErrors(rows, samples.levels)
  const calm = levelErrors(
    rows,
    samples.levels.filter(({ atMs }) => atMs < atKillMs),
  )
  const tookMs = ways.flatMap((way) => way.tookMs)
  const others = mean(samples.others)
  const byProgram = await sumsByProgram(desk)
  const found = canariesIn(desk)
  const accepted = machines.map(({ name }) => sumOf(key.allOf(name))).reduce((sum, one) => sum + one, 0)
  const [p50, p95] = [quantile(tookMs, 0.5), quantile(tookMs, 0.95)]
  const odd = [...programs.statuses].filter(([status]) => status !== 200)
  const { worst } = errors
  const withoutResponse = unanswered.filter((one) => !isOfKilled(one)).length
  const othersSeen = machines.flatMap(({ name, events }) =>
    events.flatMap((event) =>
      event.kind === 'elsewhere'
        ? [`${name} ${event.category} ${round((event.at - startMs) / 1_000)} s`]
        : [],
    ),
  )
  const refreshes = [...key.refreshes.values()].reduce((sum, one) => sum + one, 0)
  return {
    figures: {
      'requests that the service accepted': accepted,
      'mean error of the level, requests': round(errors.mean),
      'mean error before the kill, requests': round(calm.mean),
      'worst error of the level': `${round(Math.abs(worst.level - worst.truth))} (${worst.machine}, ${worst.category}, ${round((worst.atMs - startMs) / 1_000)} s after the start: ${round(worst.level)} for ${round(worst.truth)})`,
      'levels within their bounds, %': round(100 * errors.within),
      'levels compared': errors.samples,
      'others’ mean rate, requests a second': round(others, 4),
      'others’ highest rate, requests a second': round(Math.max(...samples.others)),
      'checks of the desk until the kill': calmChecks.desk,
      'checks of one machine alone until the kill': calmChecks.alone,
      'checks of the desk': checks.desk,
      'checks of one machine alone': checks.alone,
      'events that others use the key': othersSeen.join(', '),
      'header to row, p50, ms': round(p50),
      'header to row, p95, ms': round(p95),
      'headers followed to a row': tookMs.length,
      'killed member said to be lost after, ms': lostMs,
      'numbers that differ from the service’s count': differences.length,
      'requests of programs without a response': withoutResponse,
      'requests that the killed machine died with': unanswered.filter(isOfKilled).length,
      'requests of the killed machine in its last 100 ms': lastMoment.length,
      'requests of programs, by the machines’ own count': byProgram.shown,
      'requests of programs, by the service’s count': byProgram.counted,
      'answers to programs that were not 200': odd
        .map(([status, count]) => `${count} × ${status}`)
        .join(', '),
      'token requests': refreshes,
      'bytes on the wire that were searched': found.bytes,
      'plain words on the wire and in the store': found.words.join(', '),
      ...numbered('difference', differences),
      ...numbered('count that is wrong', wrong),
    },
    aims: [
      { what: `mean error of the level at most ${AIMS.levelError}`, isMet: errors.mean <= AIMS.levelError },
      {
        what: `others’ rate at most ${AIMS.othersPerSecond} a second where all traffic is the desk’s`,
        isMet: others <= AIMS.othersPerSecond,
      },
      {
        what: 'checks of three machines at most those of one, until one is killed',
        isMet: calmChecks.desk <= CHECKS_TOLERANCE * calmChecks.alone,
      },
      {
        what: 'later too, but for one of each row when a machine starts or continues',
        isMet: checks.desk <= CHECKS_TOLERANCE * checks.alone + 2 * PROBED_CATEGORIES.length,
      },
      { what: `header to row at most ${AIMS.headerToRowMs} ms, p95`, isMet: p95 <= AIMS.headerToRowMs },
      { what: `a killed member is lost within ${AIMS.lostMs} ms`, isMet: lostMs <= AIMS.lostMs },
      {
        what: 'each machine counted exactly on every machine, but for the last 100 ms of the killed one',
        isMet: wrong.length === 0,
      },
      {
        what: 'programs counted exactly, but for requests without a response',
        isMet: isBetween(byProgram.counted - byProgram.shown, [0, withoutResponse]),
      },
      { what: 'one token request for each start of a machine', isMet: refreshes === machines.length + 1 },
      { what: 'no plain word on the wire or in the store', isMet: found.words.length === 0 },
    ],
  }
}

/** The new data that the machines show each second. */
class Samples {
  readonly levels: LevelSample[] = []
  readonly others: number[] = []
  readonly #latest = new Map<DeskMachine, Snapshot>()
  readonly #timer: NodeJS.Timeout

  constructor(machines: readonly DeskMachine[]) {
    for (const machine of machines)
      machine.onSnapshot = (snapshot) => void this.#latest.set(machine, snapshot)
    this.#timer = setInterval(() => {
      for (const [machine, snapshot] of this.#latest) this.#take(machine, snapshot)
      this.#latest.clear()
    }, SAMPLE_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #take({ name: machine }: DeskMachine, { requests }: Snapshot): void {
    for (const { category, source, level, low, high, asOf, use } of requests) {
      if (!(category in SHARED) || source === 'default') continue
      this.levels.push({ machine, category, atMs: asOf, level, low, high })
      if (use) this.others.push(use.elsewhere)
    }
  }
}

/** Requests of the programs since their machine's last start, by the machines and by the service. */
async function sumsByProgram({ machines, key }: StartedDesk) {
  let [shown, counted] = [0, 0]
  for (const machine of machines) {
    const { programs = [] } = await machine.snapshot()
    shown += programs.reduce((sum, { forwarded }) => sum + forwarded, 0)
    counted += sumOf(key.byProgramsOf(machine.name))
  }
  return { shown, counted }
}

/** Words that NATS must not see, but that occur in its traffic or its store. */
function canariesIn({ ways, nats, key, machines }: StartedDesk) {
  const recorded = [...ways.values()].map((way) => way.recorded())
  const stored = readdirSync(nats.folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    // The path of a test's folder contains the program's name, and so does the configuration.
    if (entry.name === 'nats.conf') return []
    const name = Buffer.from(path.replaceAll(nats.folder, ''))
    return entry.isFile() ? [name, readFileSync(path)] : [name]
  })
  const seen = Buffer.concat([...recorded, ...stored])
  const words = [
    ...key.tokens,
    ...machines.flatMap(({ name, programs }) => [name, ...programs]),
    ...['sim-key', 'SIM1001', 'MSFT', 'headroom', '_INBOX', 'report', 'observations', ...Object.keys(SHARED)],
  ]
  return { bytes: seen.length, words: words.filter((word) => seen.includes(word)) }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length)

const isBetween = (value: number, [least, most]: readonly [number, number]): boolean =>
  value >= least && value <= most

const numbered = (what: string, lines: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(lines.slice(0, 10).map((line, at) => [`${what} ${at + 1}`, line]))

const round = (value: number, digits = 2): number => Number(value.toFixed(digits))
