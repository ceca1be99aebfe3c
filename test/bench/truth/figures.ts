import { LOW_THRESHOLD } from '../../../app/contract/units.ts'
import { JITTER } from '../../../app/quota/probe-plan.ts'
import { RowState } from '../../../app/quota/state.ts'
import { NO_MODEL } from './aims.ts'
import { comesEmpty, emptyings, staysOverHalf, WARNED_AHEAD_SECONDS, warningDelays } from './emptyings.ts'
import type { Kind } from './kinds.ts'
import type { Looks, Told } from './looks.ts'
import { RATE_SECONDS } from './oracle.ts'
import { isWarning } from './row-state.ts'

/**
 * For one of ten steps of probability: sum of the shown probabilities, emptyings that followed, and looks.
 */
export interface ToldChance {
  told: number
  came: number
  looks: number
}

/**
 * Sums and counts over the looks at one kind of traffic. They can be added, so that several seeds give one
 * result.
 */
export interface Figures {
  readonly name: string
  readonly shape: Kind['shape']
  readonly own: number
  looks: number
  hours: number
  covered: number
  oracleCovered: number
  /** Sum over the looks: the number of whole requests in the range, as a share of the limit. */
  width: number
  oracleWidth: number
  /** The same for the range from the oracle's `low` to Headroom's `high`, which is never exceeded. */
  leastWidth: number
  leastCovered: number
  /** Looks at which the true level was above `high`. */
  highWrong: number
  error: number
  oracleError: number
  readonly peerErrors: Record<string, number>
  underFifth: number
  okUnderFifth: number
  overHalf: number
  warnedOverHalf: number
  delays: number[]
  /**
   * Looks with a range of others' rate. Of these: looks whose range contains the accepted rate, and looks
   * whose range ends below 3 times that rate.
   */
  rateLooks: number
  rateHeld: number
  rateNarrow: number
  changes: number
  /** Changes of a state after less than 10 s, without a new header and without a 429. */
  flickers: number
  warningLooks: number
  warningOld: number
  checks: number
  /** Number of checks that the default budget pays for. */
  budget: number
  forecasts: number
  brier: number
  came: number
  readonly chances: ToldChance[]
  alerts: number
  falseAlerts: number
  emptyings: number
  emptyingsWarned: number
  /**
   * The figures of an oracle whose range and probability are shown with the same states. Absent if the oracle
   * did not run.
   */
  readonly best?: Figures
  /** The figures of an oracle that does not know the kind of traffic. */
  readonly untold?: Figures
}

const BUDGET_FRACTION = 0.02
const OLD_SECONDS = 60
const STEPS = 10

/** The figures of one run, and those of the oracles if they made forecasts. */
export function figuresOf(looks: Looks): Figures {
  const figures = sumsOf(looks)
  return Number.isNaN(looks.oracle.chance[0]!)
    ? figures
    : {
        ...figures,
        best: sumsOf(asTold(looks, looks.oracle)),
        ...(!Number.isNaN(looks.untold.chance[0]!) && { untold: sumsOf(asTold(looks, looks.untold)) }),
      }
}

/**
 * The looks with the states that follow from the oracle's range and probability. The wait after a 429 is the
 * same, because the oracle knows no more about it.
 */
function asTold(looks: Looks, oracle: Told): Looks {
  const { kind, count } = looks
  const held = new RowState()
  const state = Array.from({ length: count }, (_, at) =>
    held.at(
      {
        seen: headerAt(looks, at),
        blocked: looks.state[at] === 'blocked',
        limit: kind.limit,
        threshold: LOW_THRESHOLD,
        low: oracle.low[at]!,
        high: oracle.high[at]!,
        point: oracle.middle[at]!,
        emptyNow: Number(oracle.high[at]! < 1),
        emptyChance: oracle.chance[at]!,
        emptyChanceByPresent: oracle.chance[at]!,
      },
      at * 1000,
    ),
  )
  const { middle, low, high, chance, othersLow } = oracle
  // Compared where Headroom shows a range, too.
  const othersHigh = oracle.othersHigh.map((rate, at) =>
    Number.isNaN(looks.othersHigh[at]!) ? Number.NaN : rate,
  )
  return { ...looks, state, middle, low, high, chance, othersLow, othersHigh }
}

function sumsOf(looks: Looks): Figures {
  const { kind, count, truth, state } = looks
  const [comes, stays, delays, times] = [
    comesEmpty(looks),
    staysOverHalf(looks),
    warningDelays(looks),
    emptyings(looks),
  ]
  const accepted = acceptedRates(looks)
  const hours = count / 3600
  const figures: Figures = {
    ...{ name: kind.name, shape: kind.shape, own: kind.own, looks: 0, hours, covered: 0, oracleCovered: 0 },
    ...{
      width: 0,
      oracleWidth: 0,
      leastWidth: 0,
      leastCovered: 0,
      highWrong: 0,
      error: 0,
      oracleError: 0,
      peerErrors: {},
    },
    ...{ underFifth: 0, okUnderFifth: 0, overHalf: 0, warnedOverHalf: 0, delays: [...delays] },
    ...{
      ...{ rateLooks: 0, rateHeld: 0, rateNarrow: 0 },
      changes: 0,
      flickers: flickers(looks),
      warningLooks: 0,
      warningOld: 0,
    },
    checks: looks.checks,
    // At least one check per period, so that a small quota can be checked at all.
    budget: (Math.max(1, BUDGET_FRACTION * kind.limit) * count) / kind.periodSeconds,
    ...{ forecasts: 0, brier: 0, came: 0, alerts: 0, falseAlerts: 0 },
    chances: Array.from({ length: STEPS }, () => ({ told: 0, came: 0, looks: 0 })),
    emptyings: times.length,
    emptyingsWarned: times.filter((at) => isWarning(state[at - WARNED_AHEAD_SECONDS]!)).length,
  }
  for (let at = 0; at < count; at += 1) {
    if (!looks.isSeen[at]) continue
    const [is, told, warns] = [truth[at]!, state[at]!, isWarning(state[at]!)]
    figures.looks += 1
    figures.covered += Number(is >= looks.low[at]! && is <= looks.high[at]!)
    figures.oracleCovered += Number(is >= looks.oracle.low[at]! && is <= looks.oracle.high[at]!)
    figures.width += (looks.high[at]! - looks.low[at]! + 1) / kind.limit
    figures.oracleWidth += (looks.oracle.high[at]! - looks.oracle.low[at]! + 1) / kind.limit
    figures.leastWidth += (looks.high[at]! - looks.oracle.low[at]! + 1) / kind.limit
    figures.leastCovered += Number(is >= looks.oracle.low[at]! && is <= looks.high[at]!)
    figures.highWrong += Number(is > looks.high[at]!)
    figures.error += Math.abs(looks.middle[at]! - is)
    figures.oracleError += Math.abs(looks.oracle.middle[at]! - is)
    for (const [peer, shown] of Object.entries(looks.peers)) {
      figures.peerErrors[peer] = (figures.peerErrors[peer] ?? 0) + Math.abs(shown[at]! - is)
    }
    figures.underFifth += Number(is < kind.limit / 5)
    figures.okUnderFifth += Number(is < kind.limit / 5 && (told === 'ok' || told === 'watch'))
    figures.overHalf += Number(stays[at])
    figures.warnedOverHalf += Number(stays[at] && warns)
    const isOfEmpty = told === 'running-out' || told === 'empty'
    // If the budget pays for less than one check in this time, no row can be that fresh.
    figures.warningLooks += Number(isOfEmpty && paysForOneIn(kind, OLD_SECONDS))
    figures.warningOld += Number(
      isOfEmpty && paysForOneIn(kind, OLD_SECONDS) && looks.headerAgeSeconds[at]! > OLD_SECONDS,
    )
    forecast(figures, looks.chance[at]!, comes[at]!, is)
    ofOthers(figures, looks, accepted[at]!, at)
    if (at === 0 || !looks.isSeen[at - 1] || told === state[at - 1]) continue
    figures.changes += 1
    if (!warns || isWarning(state[at - 1]!)) continue
    figures.alerts += 1
    figures.falseAlerts += Number(!comes[at])
  }
  return figures
}

/** Rates below this are shown as 0, in requests a second. A count over a minute is not more precise. */
const RATE_PRECISION = 0.05
const MAX_RATE_RATIO = 3

/**
 * For each look, the rate of others' accepted requests over the last minute. This is the mean of their
 * process. If others got a 429 in that minute, it is the service's count.
 */
function acceptedRates({ count, rate, accepted, refused }: Looks): Float64Array {
  const rates = new Float64Array(count)
  let sum = 0
  for (let at = 0; at < count; at += 1) {
    sum += rate[at]! - (rate[at - RATE_SECONDS] ?? 0)
    const seconds = Math.min(RATE_SECONDS, at + 1)
    const since = (counts: Float64Array) => counts[at]! - (counts[at - RATE_SECONDS] ?? 0)
    rates[at] = (since(refused) > 0 ? since(accepted) : sum) / seconds
  }
  return rates
}

function ofOthers(figures: Figures, { othersLow, othersHigh }: Looks, accepted: number, at: number): void {
  const [low, high] = [othersLow[at]!, othersHigh[at]!]
  if (Number.isNaN(high)) return
  figures.rateLooks += 1
  figures.rateHeld += Number(accepted >= low - RATE_PRECISION && accepted <= high + RATE_PRECISION)
  figures.rateNarrow += Number(high <= RATE_PRECISION + MAX_RATE_RATIO * accepted)
}

const MIN_STATE_SECONDS = 10

function flickers({ count, state, isSeen, headerAgeSeconds }: Looks): number {
  let [since, found] = [0, 0]
  for (let at = 1; at < count; at += 1) {
    if (!isSeen[at - 1] || state[at] === state[at - 1]) continue
    const lasted = at - since
    const isFact = headerAgeSeconds[at]! <= lasted || state[at] === 'blocked' || state[at - 1] === 'blocked'
    if (since > 0 && lasted < MIN_STATE_SECONDS && !isFact) found += 1
    since = at
  }
  return found
}

/**
 * The last header at a look, as the state needs it. The oracles' range includes this header from the same
 * look on.
 */
const headerAt = ({ isSeen, headerAgeSeconds, peers }: Looks, at: number) =>
  isSeen[at] === 1
    ? { remaining: peers[NO_MODEL]![at]!, atMs: 1000 * (at - headerAgeSeconds[at]!) }
    : undefined

/**
 * Whether the budget pays for one check in `seconds`, even if jitter makes its interval as long as possible.
 */
const paysForOneIn = ({ limit, periodSeconds }: Kind, seconds: number): boolean =>
  ((1 + JITTER) * periodSeconds) / Math.max(1, limit * BUDGET_FRACTION) <= seconds

/**
 * Compares the shown probability that a quota runs out within ten minutes with what happened. An empty quota
 * does not count.
 */
function forecast(figures: Figures, chance: number, comes: boolean, truth: number): void {
  if (truth < 1) return
  figures.forecasts += 1
  figures.came += Number(comes)
  figures.brier += (chance - Number(comes)) ** 2
  const step = figures.chances[Math.min(STEPS - 1, Math.floor(chance * STEPS))]!
  step.looks += 1
  step.told += chance
  step.came += Number(comes)
}

/** The same kind over more seeds. */
export function added(one: Figures, other: Figures): Figures {
  const sum = { ...one }
  for (const [name, value] of Object.entries(other)) {
    if (typeof value === 'number' && name !== 'own') {
      Object.assign(sum, { [name]: (one[name as keyof Figures] as number) + value })
    }
  }
  return {
    ...sum,
    delays: [...one.delays, ...other.delays],
    peerErrors: Object.fromEntries(
      Object.entries(one.peerErrors).map(([peer, error]) => [peer, error + (other.peerErrors[peer] ?? 0)]),
    ),
    ...(one.best && other.best && { best: added(one.best, other.best) }),
    // This oracle ran only with the first seed.
    ...(one.untold && { untold: one.untold }),
    chances: one.chances.map((step, at) => ({
      told: step.told + other.chances[at]!.told,
      came: step.came + other.chances[at]!.came,
      looks: step.looks + other.chances[at]!.looks,
    })),
  }
}
