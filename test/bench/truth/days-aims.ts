import { quantile } from '../result.ts'
import { type Aim, coverage, number, percent, seconds } from './aims.ts'
import { type Days, TRADING_DAYS } from './days.ts'
import { added, type Figures } from './figures.ts'
import type { AfterRestart } from './restarts.ts'

/** The measured days by kind of traffic, and the forecasts after a restart. */
export interface DaysMeasured {
  readonly seeds: number
  readonly daily: readonly Days[]
  readonly control: readonly Days[]
  readonly afterRestart: AfterRestart
}

/** Maximum rise of a Brier score that does not count as worse. */
const SAME_BRIER = 0.01
const COVERED = { least: 0.93, most: 0.995 } as const

type OfDays = (days: Days) => Figures | undefined
const first: OfDays = (days) => days.first
const last: OfDays = (days) => days.last
const unlearned: OfDays = (days) => days.lastUnlearned

const sumOf = (days: readonly Days[], of: OfDays): Figures =>
  days.flatMap((one) => of(one) ?? []).reduce(added)
const best = (days: readonly Days[], of: OfDays): Figures =>
  sumOf(days, (one) => {
    const figures = of(one)
    return figures?.best
  })
const brierOf = ({ brier, forecasts }: Figures): number => brier / forecasts
const falseShare = ({ falseAlerts, alerts }: Figures): number => (alerts === 0 ? 0 : falseAlerts / alerts)
const warnedShare = ({ emptyingsWarned, emptyings }: Figures): number => emptyingsWarned / emptyings
const medianDelay = ({ delays }: Figures): number => quantile(delays, 0.5)

/** The aims for what ten trading days teach, with the oracle's figures of the same days. */
export function daysAims({ daily, control, afterRestart }: DaysMeasured): readonly Aim[] {
  const [one, ten] = [sumOf(daily, first), sumOf(daily, last)]
  const [bestOne, bestTen] = [best(daily, first), best(daily, last)]
  const both = (of: (figures: Figures) => string) => ({
    measured: `day 1: ${of(one)}; day ${TRADING_DAYS}: ${of(ten)}`,
    best: { measured: `day 1: ${of(bestOne)}; day ${TRADING_DAYS}: ${of(bestTen)}`, isMet: undefined },
  })
  const [without, learned] = [sumOf(control, unlearned), sumOf(control, last)]
  const ofControl = (figures: Figures) =>
    `${seconds(medianDelay(figures))}, ${falseText(figures)}, Brier score ${number(brierOf(figures))}`
  return [
    {
      figure: `a daily pattern: median delay of the warning on day ${TRADING_DAYS}`,
      aim: 'at most half of day 1',
      ...both((figures) => seconds(medianDelay(figures))),
      isMet: medianDelay(ten) <= medianDelay(one) / 2,
    },
    {
      figure: `a daily pattern: emptyings warned of at least 15 s ahead on day ${TRADING_DAYS}`,
      aim: 'at least 90 %',
      ...both(warnedText),
      isMet: warnedShare(ten) >= 0.9,
    },
    {
      figure: `a daily pattern: alerts that were false on day ${TRADING_DAYS}`,
      aim: 'not more than on day 1',
      ...both(falseText),
      isMet: falseShare(ten) <= falseShare(one),
    },
    {
      figure: `a daily pattern: coverage of \`low\`…\`high\` on day ${TRADING_DAYS}`,
      aim: '93 to 99.5 %',
      ...both((figures) => percent(coverage(figures))),
      isMet: coverage(ten) >= COVERED.least && coverage(ten) <= COVERED.most,
    },
    {
      figure: `no pattern: delay, false alerts and forecast of day ${TRADING_DAYS}`,
      aim: `not worse than the same day with nothing learned (Brier score: by at most ${SAME_BRIER})`,
      measured: `nothing learned: ${ofControl(without)}; learned: ${ofControl(learned)}`,
      isMet:
        medianDelay(learned) <= medianDelay(without) &&
        falseShare(learned) <= falseShare(without) &&
        brierOf(learned) <= brierOf(without) + SAME_BRIER,
      best: { measured: ofControl(best(control, last)), isMet: undefined },
    },
    {
      figure: 'the hour after a restart: Brier score',
      aim: `at most ${SAME_BRIER} above that without a restart`,
      measured: `${number(afterRestart.restarted)}; without a restart ${number(afterRestart.running)}; nothing learned ${number(afterRestart.forgetful)}`,
      isMet: afterRestart.restarted <= afterRestart.running + SAME_BRIER,
    },
  ]
}

const warnedText = (figures: Figures): string => `${percent(warnedShare(figures))} of ${figures.emptyings}`
const falseText = (figures: Figures): string => `${figures.falseAlerts} false of ${figures.alerts} alerts`

const COLUMNS = [
  'traffic of others',
  'day',
  'delay of the warning, median / p95',
  'emptyings warned of',
  'false alerts',
  'covered',
  'Brier score',
] as const

/** A table of days 1 and 10, and of day 10 with nothing learned. The oracles saw the first seed only. */
export function daysTable({ daily, control }: DaysMeasured): readonly (readonly string[])[] {
  const of = (limit: string) => daily.filter(({ first: { name } }) => name.includes(limit))
  const groups = [
    ['a daily pattern, 320 in 300 s', of('320 in')],
    ['a daily pattern, 90 in 60 s', of('90 in')],
    ['no pattern', control],
  ] as const
  return [
    COLUMNS,
    ...groups.flatMap(([name, days]) => [
      row(name, '1', sumOf(days, first)),
      row(name, '1, the oracle', best(days, first)),
      row(name, `${TRADING_DAYS}, nothing learned`, sumOf(days, unlearned)),
      row(name, `${TRADING_DAYS}`, sumOf(days, last)),
      row(name, `${TRADING_DAYS}, the oracle`, best(days, last)),
    ]),
  ]
}

function row(name: string, day: string, figures: Figures): readonly string[] {
  const { delays, emptyingsWarned, emptyings, falseAlerts, alerts } = figures
  return [
    name,
    day,
    `${quantile(delays, 0.5)} / ${quantile(delays, 0.95)} s`,
    `${emptyingsWarned} of ${emptyings}`,
    `${falseAlerts} of ${alerts}`,
    percent(coverage(figures)),
    number(brierOf(figures)),
  ]
}
