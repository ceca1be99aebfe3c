import type { Plan, PlannedProgram } from '../../../app/plan/plan.ts'
import { MAX_PLAN_FILE_BYTES, readPlan } from '../../../app/plan/plan-file.ts'
import { planRateText, recordedText, verdictLine } from '../../../app/plan/plan-words.ts'
import { MAX_ARRIVALS, plannedCount, plannedDay, seededChance } from '../../../app/plan/planned-day.ts'
import { type RecordedMinute, recordedArrivals, recordedRequests } from '../../../app/plan/recorded.ts'
import { type Arrival, type Replay, replay } from '../../../app/plan/replay.ts'
import { OTHERS_NAME, OWN_NAME, plannedName } from '../../../app/plan/running.ts'
import { type PlanVerdict, planVerdict } from '../../../app/plan/verdict.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'
import type { SeriesOpening } from '../../history/series-file.ts'
import { NO_HOME } from '../../storage/data-folder.ts'
import { readBounded } from '../../storage/private-files.ts'
import { storageErrorText, unreadable } from '../../storage/storage-error.ts'
import { systemErrorText } from '../../storage/system-error.ts'
import { left, right } from './cells.ts'
import type { PlanFlags } from './flags.ts'
import { EXIT_DOES_NOT_FIT, EXIT_FAILURE, EXIT_OK, EXIT_USAGE, failWith, type Terminal } from './terminal.ts'

export interface PlanDeps {
  readonly terminal: Terminal
  readonly defaultDataFolder: () => string | undefined
  readonly nowMs: () => number
  openSeries(folder: string): SeriesOpening
}

/** Length of a planned day: market hours. */
const TRADING_DAY_MS = 6.5 * 3_600_000
const REPLAY = { maxWaitMs: 300_000, stretchMs: 180_000 }

/**
 * `headroom plan`: reports whether the quotas of a key are enough for the programs of a file, for the
 * recorded programs, or for both. The exit code is 2 for invalid input, 1 if the history can't be read, and
 * otherwise 0. With `exitCode`, it is 4 if a quota or slots are not enough.
 */
export function plan(file: string | undefined, flags: PlanFlags, deps: PlanDeps): number {
  const { terminal } = deps
  const fail = (line: string, exitCode: number) => failWith(terminal, line, exitCode)
  if (file === undefined && flags.fromHistory === undefined)
    return fail('name a plan file, or add --from-history 24h to use recorded traffic', EXIT_USAGE)
  let whole: Plan = { programs: [], limits: {}, reserves: {} }
  let arrivals: readonly Arrival[] = []
  let recordedMinutes: number | undefined
  if (file !== undefined) {
    const read = readPlanFile(file)
    if (read.kind === 'wrong') return fail(read.line, EXIT_USAGE)
    whole = read.plan
    const lengthMs = flags.fromHistory ?? TRADING_DAY_MS
    if (flags.replay === true && plannedCount(whole, lengthMs) > MAX_ARRIVALS)
      return fail(`${file}: too many requests to replay; lower the rates, or leave out --replay`, EXIT_USAGE)
    if (flags.replay === true) arrivals = plannedDay(whole, lengthMs, seededChance())
  }
  if (flags.fromHistory !== undefined) {
    const recorded = recordedPrograms(flags, flags.fromHistory, deps)
    if (typeof recorded === 'string') return fail(recorded, EXIT_FAILURE)
    const names = new Set(whole.programs.map(({ name }) => name))
    const taken = recorded.programs.find(({ name }) => names.has(name))
    if (taken !== undefined)
      return fail(`${file}: rename ${taken.name}: the recording already uses that name`, EXIT_USAGE)
    whole = { ...whole, programs: [...recorded.programs, ...whole.programs] }
    recordedMinutes = recorded.minutes
    arrivals = [...arrivals, ...recorded.arrivals].sort((a, b) => a.atMs - b.atMs)
  }
  const verdict = planVerdict(whole)
  const replayed = flags.replay === true ? replay(whole, arrivals, REPLAY) : undefined
  const json = {
    ...verdict,
    ...(recordedMinutes !== undefined && { recordedMinutes }),
    ...(replayed && { replay: replayed }),
  }
  const lines = [
    planText(verdict),
    ...(recordedMinutes === undefined
      ? []
      : ['', `${recordedText(recordedMinutes, flags.fromHistory ?? 0)}.`]),
    ...(replayed ? ['', replayText(replayed)] : []),
  ]
  terminal.out(flags.json === true ? JSON.stringify(json) : lines.join('\n'))
  return flags.exitCode === true && !verdict.fits ? EXIT_DOES_NOT_FIT : EXIT_OK
}

function readPlanFile(file: string): ReturnType<typeof readPlan> {
  const wrong = (why: string) => ({ kind: 'wrong' as const, line: `${file}: ${why}` })
  try {
    const read = readPlan(readBounded(file, MAX_PLAN_FILE_BYTES))
    return read.kind === 'wrong' ? wrong(read.line) : read
  } catch (error) {
    return wrong(systemErrorText(error))
  }
}

/** A program behind the gateway, with its latest class. */
interface RecordedProgram {
  readonly class: PlannedProgram['class']
  readonly minutes: RecordedMinute[]
}

interface Recorded {
  readonly programs: readonly PlannedProgram[]
  readonly arrivals: readonly Arrival[]
  /** Recorded minutes, including minutes without requests. */
  readonly minutes: number
}

/**
 * The recorded programs behind the gateway, a program for the app's own checks, and one for all others. If
 * the history can't be used, returns a line with the reason.
 */
function recordedPrograms(
  { data, profile }: PlanFlags,
  lastMs: number,
  { defaultDataFolder, nowMs, openSeries }: PlanDeps,
): Recorded | string {
  const folder = data ?? defaultDataFolder()
  if (folder === undefined) return NO_HOME
  const opening = openSeries(folder)
  if (opening.kind === 'failed') return opening.line
  const { file } = opening
  try {
    const profiles = file.profiles().map((known) => known.profile)
    const [only = profile, ...more] = profiles
    if (profile === undefined && more.length > 0)
      return `the history has several keys; choose one with --profile: ${profiles.join(', ')}`
    if (profile !== undefined && !profiles.includes(profile))
      return `the history has no profile '${profile}'; choose one of: ${profiles.join(', ') || 'none'}`
    const own: RecordedMinute[] = []
    const others: RecordedMinute[] = []
    const toMs = nowMs()
    const query = { profile: profile ?? only, fromMs: toMs - lastMs, toMs }
    const programs = new Map<string, RecordedProgram>()
    /** Requests of programs behind the gateway, by category and minute. */
    const theirs = new Map<string, number>()
    for (const { category, sample } of file.programMinutes(query)) {
      const { class: ownClass, atMs, requests } = sample
      const program = plannedName(sample.program)
      const minutes = programs.get(program)?.minutes ?? []
      minutes.push({ category, atMs, requests })
      programs.set(program, { class: ownClass, minutes })
      const key = `${category}\n${atMs}`
      theirs.set(key, (theirs.get(key) ?? 0) + requests)
    }
    for (const { category, minute, desk = 0 } of file.minutes(query)) {
      const ofPrograms = theirs.get(`${category}\n${minute.atMs}`) ?? 0
      own.push({ category, atMs: minute.atMs, requests: Math.max(0, minute.own - ofPrograms) })
      others.push({ category, atMs: minute.atMs, requests: minute.elsewhere + desk })
    }
    if (own.length === 0) return 'nothing was recorded in that time'
    const firstMs = own.reduce((least, { atMs }) => Math.min(least, atMs), toMs)
    const programOf = recordedProgram(toMs - firstMs)
    return {
      minutes: new Set(own.map(({ atMs }) => atMs)).size,
      programs: [
        ...[...programs].map(([name, { class: ownClass, minutes }]) => programOf(name, minutes, ownClass)),
        programOf(OWN_NAME, own, 'background'),
        programOf(OTHERS_NAME, others, 'critical'),
      ],
      arrivals: [
        ...[...programs].flatMap(([name, { minutes }]) => recordedArrivals(name, minutes, query.fromMs)),
        ...recordedArrivals(OWN_NAME, own, toMs - lastMs),
        ...recordedArrivals(OTHERS_NAME, others, toMs - lastMs),
      ],
    }
  } catch (error) {
    // A damaged file may open, and fail only at a later page.
    const why = storageErrorText(error)
    if (why === undefined) throw error
    return unreadable('the history', folder, why)
  } finally {
    file.close()
  }
}

const periodSecondsOf = (category: string) =>
  CURRENT_REQUEST_QUOTAS.find((quota) => quota.category === category)?.periodSeconds

/** Returns a function that makes the plan of one program from a recording of `lengthMs` milliseconds. */
const recordedProgram =
  (lengthMs: number) =>
  (name: string, minutes: readonly RecordedMinute[], ownClass: PlannedProgram['class']): PlannedProgram => ({
    name,
    class: ownClass,
    weight: 1,
    requests: recordedRequests(minutes, { lengthMs, periodSecondsOf }),
    streams: [],
  })

/** The verdict, a table of demands, and what to reduce first. */
function planText(verdict: PlanVerdict): string {
  const width = Math.max(8, ...verdict.categories.map(({ category }) => category.length))
  const row = (name: string, ...cells: readonly string[]) =>
    [left(name, width), ...cells.map((cell) => right(cell, 11))].map(({ text }) => text).join('')
  const rows = verdict.categories.map(
    ({ category, perSecond, capacityPerSecond, burst, limit, reserve, fits }) =>
      row(
        category,
        planRateText(perSecond),
        planRateText(capacityPerSecond),
        String(burst),
        String(limit),
        String(reserve),
        fits ? 'fits' : 'too much',
      ),
  )
  const head = row('category', 'needs', 'refills', 'at once', 'limit', 'reserve', '')
  const slots = verdict.slots.map(
    ({ category, streams, shared, limit, fits }) =>
      `${category}: ${shared} of ${limit} slots${streams === shared ? '' : ` for ${streams} streams`}${fits ? '' : ', too many'}`,
  )
  const advice =
    verdict.advice.length === 0
      ? []
      : ['', 'To make it fit, reduce in this order:', ...verdict.advice.map((line) => `  ${line}`)]
  return [
    verdictLine(verdict),
    ...(rows.length === 0 ? [] : ['', head.trimEnd(), ...rows]),
    ...(slots.length === 0 ? [] : ['', ...slots]),
    ...advice,
  ].join('\n')
}

function replayText({ waits, upstreamRefusals }: Replay): string {
  const lines = waits.map(
    ({ program, category, sent, refused, p99Seconds, worstSeconds }) =>
      `  ${program}, ${category}: ${sent} sent, 99 of 100 waited up to ${p99Seconds.toFixed(1)} s, the longest ${worstSeconds.toFixed(1)} s` +
      (refused === 0 ? '' : `, ${refused} timed out`),
  )
  const refusals = upstreamRefusals === 0 ? 'no 429' : `429 ${upstreamRefusals} times`
  return [
    `Replay through the gateway’s scheduler, with a maximum wait of 300 s per request: ${refusals}.`,
    ...lines,
  ].join('\n')
}
