import { type Origin, originWords } from '../../proof/commit.ts'
import { quantile } from '../result.ts'
import {
  type Aim,
  aimWord,
  changesAnHour,
  coverage,
  meanError,
  NO_MODEL,
  number,
  overOracle,
  percent,
  times,
  widthOverOracle,
} from './aims.ts'
import { TRADING_DAYS } from './days.ts'
import { type DaysMeasured, daysTable } from './days-aims.ts'
import type { Figures } from './figures.ts'

const COLUMNS = [
  'traffic of others',
  'mean error',
  'no model',
  'oracle',
  'over the oracle',
  'covered',
  'oracle covered',
  'width over the oracle’s',
  '`ok` under a fifth',
  'warned over half',
  'delay of the warning, median / p95',
  'emptyings warned of',
  'false alerts',
  'changes an hour',
] as const

export const kindColumns = (): readonly string[] => COLUMNS

export function kindRow(figures: Figures): readonly string[] {
  const { name, looks, oracleError, peerErrors, delays } = figures
  const of = (part: number, whole: number) => (whole === 0 ? '' : percent(part / whole))
  return [
    name,
    number(meanError(figures)),
    number((peerErrors[NO_MODEL] ?? Number.NaN) / looks),
    number(oracleError / looks),
    times(overOracle(figures)),
    percent(coverage(figures)),
    percent(figures.oracleCovered / looks),
    times(widthOverOracle(figures)),
    of(figures.okUnderFifth, figures.underFifth),
    of(figures.warnedOverHalf, figures.overHalf),
    delays.length === 0 ? '' : `${quantile(delays, 0.5)} / ${quantile(delays, 0.95)} s`,
    of(figures.emptyingsWarned, figures.emptyings),
    of(figures.falseAlerts, figures.alerts),
    number(changesAnHour(figures)),
  ]
}

export interface PageOf {
  readonly aims: readonly Aim[]
  readonly kinds: readonly Figures[]
  readonly days?: DaysMeasured | undefined
  readonly how: string
  readonly origin: Origin
  readonly machine: string
}

const IGNORED_FIELDS =
  'The column “kind unknown” is an oracle that knows only the bench’s kinds of traffic, how likely each is and how they behave: 2,000 possible others, narrowed down by headers. It is a particle filter of 1,200 possible truths, each followed every second, and ran in the first seed of each kind.'

/** The page about the accuracy of the displayed numbers, for each kind of traffic. */
export function truthPage({ aims, kinds, days, how, origin, machine }: PageOf): string {
  const met = aims.filter(({ isMet }) => isMet === true).length
  const isUntoldAsked = aims.some(({ untold }) => untold !== undefined)
  return [
    '# Truth',
    '',
    'Whether Headroom’s numbers, ranges and states of a quota are right while others use it. Written by `npm run truth`; nothing here is typed by hand. An aim that was missed says so.',
    '',
    `- ${how}`,
    `- machine: ${machine}`,
    `- this page: ${originWords(origin)}`,
    '',
    `## Aims: ${met} of ${aims.length} met`,
    '',
    ...table(
      ['figure', 'aim', 'measured', 'the oracle', ...(isUntoldAsked ? ['kind unknown'] : []), ''],
      aims.map((one) => [
        one.figure,
        one.aim,
        one.measured,
        one.best?.measured ?? '',
        ...(isUntoldAsked ? [one.untold?.measured ?? ''] : []),
        one.isMet === false ? `**${aimWord(one)}**` : aimWord(one),
      ]),
    ),
    '',
    'The oracle knows which kind of traffic it sees and its parameters: that a burst lasts two minutes of five, or when a day’s peak comes.',
    ...(isUntoldAsked ? [IGNORED_FIELDS] : []),
    '',
    '## Why the others are missed',
    '',
    ...reasons(aims.filter(({ isMet }) => isMet === false)),
    '',
    ...(days ? daysSection(days) : []),
    '## Kinds of traffic',
    '',
    'Errors in requests. “No model” shows the last Remaining unchanged; the oracle is a particle filter that knows the process of others with its parameters; both see the same headers.',
    '',
    ...table(kindColumns(), kinds.map(kindRow)),
    '',
  ].join('\n')
}

function daysSection(days: DaysMeasured): readonly string[] {
  const seeds = `${days.seeds} ${days.seeds === 1 ? 'seed' : 'seeds'}`
  return [
    `## What ${TRADING_DAYS} trading days teach`,
    '',
    `Others repeat themselves from 09:00 to 10:40 exchange time, with starts, rates and requests drawn at random each day; ${seeds} of each kind. “No pattern” has the same loads at a random time. Each day starts with what was learned on the days before. “Nothing learned” is the same day without it.`,
    '',
    ...table(daysTable(days)[0] ?? [], daysTable(days).slice(1)),
    '',
  ]
}

function reasons(missed: readonly Aim[]): readonly string[] {
  const known = missed.flatMap((aim) => {
    const why = reason(aim)
    return why === undefined ? [] : [`- ${aim.figure}: ${why}`]
  })
  const others = missed.filter((aim) => reason(aim) === undefined).map(({ figure }) => figure)
  if (others.length === 0) return known
  const rest = `- ${others.join('; ')}: no measurement here shows that it cannot be met.`
  return [...known, rest]
}

/**
 * Why an aim can't be met, or what would be needed to meet it, from the results of the two oracles on the
 * same traffic. `undefined` without an oracle.
 */
function reason({ best, untold }: Aim): string | undefined {
  if (best?.isMet === false) {
    return `the oracle, which knows everything except the future, reaches ${best.measured}. Headers alone are not enough to meet it.`
  }
  if (untold?.isMet === false) {
    return `an oracle that does not know the kind of traffic reaches ${untold.measured}. Meeting it takes knowing others’ traffic beforehand.`
  }
  if (untold?.isMet === true) {
    return `not met yet, and no measurement here shows that it cannot be: an oracle that knows the kinds and their likelihood reaches ${untold.measured}. Headroom assumes only that a rate lasts for a while and then jumps, so that nothing is tuned to the bench.`
  }
  return undefined
}

const table = (columns: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
