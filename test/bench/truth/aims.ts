import { quantile } from '../result.ts'
import type { Figures } from './figures.ts'

/** One aim and its measured result. */
export interface Aim {
  readonly figure: string
  readonly aim: string
  readonly measured: string
  /** `undefined` if the run had no case to which the aim applies. */
  readonly isMet: boolean | undefined
  /** The oracle's result, if the figure exists for it. `isMet`: whether it meets the aim. */
  readonly best?: Pick<Aim, 'measured' | 'isMet'>
  /** The result of an oracle that does not know the kind of traffic. */
  readonly untold?: Pick<Aim, 'measured' | 'isMet'>
}

export const NO_MODEL = 'no model: the last Remaining, unchanged'
/**
 * A budget for fewer checks than this is not compared with an aim, because the share of it that was used is
 * too inexact.
 */
const MIN_OF_A_KIND = 20

type OfKind = (figures: Figures) => number

export const coverage: OfKind = ({ covered, looks }) => covered / looks
export const meanError: OfKind = ({ error, looks }) => error / looks
export const overNoModel: OfKind = ({ error, peerErrors }) => error / (peerErrors[NO_MODEL] ?? Number.NaN)
export const overOracle: OfKind = ({ error, oracleError }) => error / oracleError
export const widthOverOracle: OfKind = ({ width, oracleWidth }) => width / oracleWidth
export const changesAnHour: OfKind = ({ changes, hours }) => changes / hours

/**
 * Figures that exist for an oracle too. An oracle has a chance of emptying, but predicts no time, and has no
 * bound that always holds.
 */
const OF_THE_ORACLE =
  /^(mean error against “no|`ok`|`running-out`, `empty`|from “would|changes|looks whose range|“runs out|shown chance|alerts|emptyings)/

/**
 * Figures that exist for the oracle that does not know the kind of traffic. One more is its distance to the
 * other oracle.
 */
const OF_THE_UNTOLD = new RegExp(`${OF_THE_ORACLE.source}|^mean error against the oracle`)

/** Each aim with its result, and with the oracles' results on the same headers. */
export function aimsOf(kinds: readonly Figures[]): readonly Aim[] {
  const withoutKind = kinds.flatMap((kind) => (kind.untold ? [kind.untold] : []))
  const reference = withoutKind.length === kinds.length ? withoutKind : undefined
  const aims = aimsOver(kinds, reference)
  const best = kinds.flatMap((kind) => (kind.best ? [kind.best] : []))
  if (best.length < kinds.length) return aims
  const ofOracle = aimsOver(best, reference)
  const ofUntold = reference && aimsOver(reference, reference)
  return aims.map((aim, at) => {
    const { measured, isMet } = ofOracle[at]!
    const untold = ofUntold && { measured: ofUntold[at]!.measured, isMet: ofUntold[at]!.isMet }
    return {
      ...aim,
      ...(OF_THE_ORACLE.test(aim.figure) && { best: { measured, isMet } }),
      ...(untold && OF_THE_UNTOLD.test(aim.figure) && { untold }),
    }
  })
}

/**
 * Each aim over these kinds. `reference` is the oracle that does not know the kind of traffic, on the same
 * headers. Delays and changes are compared with it.
 */
function aimsOver(kinds: readonly Figures[], reference?: readonly Figures[]): readonly Aim[] {
  const sum = (of: OfKind) => kinds.reduce((total, kind) => total + of(kind), 0)
  const share = (part: OfKind, whole: OfKind) => sum(part) / sum(whole)
  const rows: Aim[] = []
  const row = (figure: string, aim: string, measured: string, isMet: boolean, of = 1) =>
    rows.push({ figure, aim, measured: of > 0 ? measured : '–', isMet: of > 0 ? isMet : undefined })

  const covers = coverageOf(kinds)
  row(
    'coverage of `low`…`high`',
    '93 to 99.5 % (or above it and at most 2.2 times the oracle’s width) in at least 85 % of kinds, never below 84 %',
    covers.measured,
    covers.isMet,
  )
  const least = coverageOf(
    kinds.map((kind) => ({ ...kind, covered: kind.leastCovered, width: kind.leastWidth })),
  )
  rows.push({ ...rows.pop()!, best: { ...least, measured: `${ITS_LOW}: ${least.measured}` } })
  const above = sum(({ highWrong }) => highWrong)
  row(
    'truth above `high`',
    'never',
    `${count(above)} of ${count(sum(({ looks }) => looks))} looks`,
    above === 0,
  )
  const better = kinds.filter((kind) => overNoModel(kind) < 1)
  const worst = highest(kinds, overNoModel)
  row(
    'mean error against “no model” on the same headers',
    'better in at least 88 % of kinds',
    `better in ${percent(better.length / kinds.length)}; ${times(median(kinds.map(overNoModel)))} in the median; most ${times(worst.value)} (${worst.name})`,
    better.length >= 0.88 * kinds.length,
  )
  const withOthers = kinds.filter(({ shape }) => shape !== 'alone')
  const ratio = median(withOthers.map(overOracle))
  row(
    'mean error against the oracle on the same headers',
    'at most 1.2 times in the median of kinds',
    times(ratio),
    ratio <= 1.2,
    withOthers.length,
  )
  const alone = kinds.filter(({ shape }) => shape === 'alone')
  const aloneError = ratioOf(
    alone,
    ({ error }) => error,
    ({ looks }) => looks,
  )
  row(
    'mean error with own traffic only',
    'at most 0.1 requests',
    number(aloneError),
    aloneError <= 0.1,
    alone.length,
  )
  const fine = share(
    ({ okUnderFifth }) => okUnderFifth,
    ({ underFifth }) => underFifth,
  )
  row(
    '`ok` or `watch` while the truth is under a fifth of the limit',
    'at most 0.1 % of such looks',
    `${percent(fine)} of ${count(sum(({ underFifth }) => underFifth))}`,
    fine <= 0.001,
    sum(({ underFifth }) => underFifth),
  )
  const scared = share(
    ({ warnedOverHalf }) => warnedOverHalf,
    ({ overHalf }) => overHalf,
  )
  row(
    '`running-out`, `empty` or `blocked` while the truth stays above half for the next 10 minutes',
    'at most 0.5 % of such looks',
    `${percent(scared)} of ${count(sum(({ overHalf }) => overHalf))}`,
    scared <= 0.005,
    sum(({ overHalf }) => overHalf),
  )
  const delays = kinds.flatMap((kind) => kind.delays)
  const theirs = reference?.flatMap((kind) => kind.delays) ?? []
  row(
    'from “would run out in 10 minutes” (truth) to the warning',
    'at most that of the oracle without the kind in the median, 1.1 times it at p95',
    `median ${seconds(quantile(delays, 0.5))}, p95 ${seconds(quantile(delays, 0.95))} of ${count(delays.length)}`,
    quantile(delays, 0.5) <= quantile(theirs, 0.5) && quantile(delays, 0.95) <= 1.1 * quantile(theirs, 0.95),
    Math.min(delays.length, theirs.length),
  )
  const changes = hourly(kinds, ({ changes: all }) => all)
  const most = 1.2 * hourly(reference ?? [], ({ changes: all }) => all)
  row(
    'changes of a row’s state',
    'at most 1.2 times those of the oracle without the kind',
    `${number(changes)} an hour`,
    changes <= most,
    reference?.length ?? 0,
  )
  const flickers = sum((kind) => kind.flickers)
  row('states that last under 10 s without a header or a 429', 'none', count(flickers), flickers === 0)
  const rateLooks = sum((kind) => kind.rateLooks)
  const held = sum((kind) => kind.rateHeld) / rateLooks
  const narrow = sum((kind) => kind.rateNarrow) / rateLooks
  row(
    'looks whose range of others’ rate holds the accepted rate, and ends below 3 times it',
    'at least 90 %, and 90 %',
    `${percent(held)}, and ${percent(narrow)}, of ${count(rateLooks)}`,
    held >= 0.9 && narrow >= 0.9,
    rateLooks,
  )
  const old = share(
    ({ warningOld }) => warningOld,
    ({ warningLooks }) => warningLooks,
  )
  const spent = highest(
    kinds.filter(({ budget }) => budget >= MIN_OF_A_KIND),
    ({ checks, budget }) => checks / budget,
  )
  row(
    'a row in `running-out` or `empty` whose header is older than 60 s, if the budget allows a check a minute',
    'at most 2 % of such looks',
    percent(old),
    old <= 0.02,
    sum(({ warningLooks }) => warningLooks),
  )
  row(
    'checks against the budget of 2 %',
    'at most all of it on average',
    `${percent(
      share(
        ({ checks }) => checks,
        ({ budget }) => budget,
      ),
    )} in the mean; most ${percent(spent.value)} (${spent.name})`,
    share(
      ({ checks }) => checks,
      ({ budget }) => budget,
    ) <= 1,
  )
  const brier = share(
    ({ brier: squares }) => squares,
    ({ forecasts }) => forecasts,
  )
  const base = share(
    ({ came }) => came,
    ({ forecasts }) => forecasts,
  )
  row(
    '“runs out within 10 minutes”: Brier score',
    'at most 0.105',
    `${number(brier)}; always showing the base rate of ${percent(base)}: ${number(base * (1 - base))}`,
    brier <= 0.105,
  )
  const steps = Array.from({ length: 10 }, (_, at) => ({
    told: sum(({ chances }) => chances[at]?.told ?? 0),
    came: sum(({ chances }) => chances[at]?.came ?? 0),
    looks: sum(({ chances }) => chances[at]?.looks ?? 0),
  }))
  const told = steps.slice(5).filter(({ looks }) => looks >= 100)
  const off = told.map(({ told: chance, came, looks }) => Math.abs(chance - came) / looks)
  row(
    'shown chance against the outcome, from 50 % up',
    'within 10 points',
    told
      .map(
        ({ told: chance, came, looks }) => `${percent(chance / looks)} told, ${percent(came / looks)} came`,
      )
      .join('; '),
    off.every((one) => one <= 0.1),
    told.length,
  )
  const falseAlerts = share(
    ({ falseAlerts: all }) => all,
    ({ alerts }) => alerts,
  )
  row(
    'alerts that were false',
    'at most 17 %',
    `${percent(falseAlerts)} of ${count(sum(({ alerts }) => alerts))}`,
    falseAlerts <= 0.17,
    sum(({ alerts }) => alerts),
  )
  const warned = share(
    ({ emptyingsWarned }) => emptyingsWarned,
    ({ emptyings }) => emptyings,
  )
  row(
    'emptyings warned of at least 15 s ahead',
    'at least 80 %',
    `${percent(warned)} of ${count(sum(({ emptyings }) => emptyings))}`,
    warned >= 0.8,
    sum(({ emptyings }) => emptyings),
  )
  return rows
}

const ITS_LOW = 'its `low` as a bound that always holds'

/**
 * A kind whose range is nearly always right may have ranges that are too wide. It passes if they are at most
 * 2.2 times as wide as the oracle's: an exact range is always right, too.
 */
function coverageOf(kinds: readonly Figures[]): { readonly measured: string; readonly isMet: boolean } {
  const isGood = (kind: Figures) =>
    coverage(kind) >= 0.93 && (coverage(kind) <= 0.995 || widthOverOracle(kind) <= 2.2)
  const good = kinds.filter(isGood).length
  const least = lowest(kinds, coverage)
  const all = ratioOf(
    kinds,
    ({ covered }) => covered,
    ({ looks }) => looks,
  )
  return {
    measured: `${percent(all)} in all; within in ${percent(good / kinds.length)} of kinds; least ${percent(least.value)} (${least.name})`,
    isMet: good >= 0.85 * kinds.length && least.value >= 0.84,
  }
}

const hourly = (kinds: readonly Figures[], of: OfKind): number => ratioOf(kinds, of, ({ hours }) => hours)

function ratioOf(kinds: readonly Figures[], part: OfKind, whole: OfKind): number {
  const total = (of: OfKind) => kinds.reduce((sum, kind) => sum + of(kind), 0)
  return total(part) / total(whole)
}

interface Extreme {
  readonly name: string
  readonly value: number
}

const highest = (kinds: readonly Figures[], of: OfKind): Extreme =>
  kinds.reduce<Extreme>(
    (most, kind) => (of(kind) > most.value ? { name: kind.name, value: of(kind) } : most),
    { name: 'none', value: Number.NEGATIVE_INFINITY },
  )
const lowest = (kinds: readonly Figures[], of: OfKind): Extreme => {
  const { name, value } = highest(kinds, (kind) => -of(kind))
  return { name, value: -value }
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const percent = (share: number): string =>
  Number.isFinite(share) ? `${Number((100 * share).toFixed(share < 0.1 ? 2 : 1))} %` : '–'
export const times = (ratio: number): string => (Number.isFinite(ratio) ? ratio.toFixed(2) : '–')
export const number = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(3))) : '–'
export const seconds = (value: number): string => (Number.isFinite(value) ? `${Math.round(value)} s` : '–')
const count = (value: number): string => value.toLocaleString('en')

/** The outcome of an aim in a few words, for the terminal and the page. */
export const aimWord = ({ isMet, best, untold }: Aim): string => {
  if (isMet === undefined) return 'nothing to measure'
  if (isMet) return 'met'
  if (best?.isMet === false) return 'missed, by the oracle too'
  return untold?.isMet === false ? 'missed, by the oracle without the kind too' : 'missed'
}

/** An aim and its result in one line, for the terminal. */
export const aimText = (aim: Aim): string =>
  `${aimWord(aim).toUpperCase()}: ${aim.figure} (${aim.aim}): ${aim.measured}`
