import { type Origin, originWords } from '../../proof/commit.ts'
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
  quantile,
  times,
  widthOverOracle,
} from './aims.ts'
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
  readonly how: string
  readonly origin: Origin
  readonly machine: string
}

/** What is true of the numbers on screen, kind by kind. */
export function truthPage({ aims, kinds, how, origin, machine }: PageOf): string {
  const met = aims.filter(({ isMet }) => isMet === true).length
  return [
    '# Truth',
    '',
    'Whether the numbers, ranges and states that Headroom tells of a quota are true while others use it. Written by `npm run truth`; nothing here is typed by hand. An aim that was missed says so.',
    '',
    `- ${how}`,
    `- machine: ${machine}`,
    `- this page: ${originWords(origin, 0)}`,
    '',
    `## Aims: ${met} of ${aims.length} met`,
    '',
    ...table(
      ['figure', 'aim', 'measured', 'the oracle', 'not told the kind', ''],
      aims.map((one) => [
        one.figure,
        one.aim,
        one.measured,
        one.best?.measured ?? '',
        one.untold?.measured ?? '',
        one.isMet === false ? `**${aimWord(one)}**` : aimWord(one),
      ]),
    ),
    '',
    'The oracle knows which kind of traffic it sees and its parameters: that a burst lasts two minutes of five, or when a day’s peak comes. What it misses on the same headers cannot be met by anyone who sees no more. What it meets and Headroom does not is the price of not being told: Headroom learns from headers alone how long a pace holds, and needs several to notice that one has changed. A fold weighs 112 candidates where a second has passed since the last one, and costs a microsecond only in between.',
    '',
    '## Kinds of traffic',
    '',
    'Errors in requests. “No model” shows the last Remaining unchanged; the oracle is a particle filter that knows the process of others with its parameters; both see the same headers.',
    '',
    ...table(kindColumns(), kinds.map(kindRow)),
    '',
  ].join('\n')
}

const table = (columns: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
