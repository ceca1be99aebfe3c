import { parseArgs } from 'node:util'
import { number, percent, quantile } from './aims.ts'
import { controlKinds, dailyKinds } from './daily-kinds.ts'
import { type Days, TRADING_DAYS, tenDays } from './days.ts'
import { added, type Figures } from './figures.ts'
import { type Kind, listedKinds } from './kinds.ts'
import { meanAfterRestart } from './restarts.ts'

/**
 * What Headroom learns in ten trading days, and what a restart costs: `npm run truth:days -- [--seeds 4]`.
 * Measures kinds of traffic with a daily pattern, and a control without one.
 *
 * The last day is compared with the same day without anything learned. The first seed compares it with the
 * oracle too.
 */
const { values } = parseArgs({ options: { seeds: { type: 'string', default: '4' } } })
const seeds = Number(values.seeds)

const COLUMNS = [
  'day',
  'warning, median / p95',
  'emptyings warned of',
  'false alerts',
  'covered',
  'Brier score',
]

function row(day: string, figures: Figures): readonly string[] {
  const { delays, emptyingsWarned, emptyings, falseAlerts, alerts, covered, looks, brier, forecasts } =
    figures
  return [
    day,
    `${quantile(delays, 0.5)} / ${quantile(delays, 0.95)} s`,
    `${emptyingsWarned} of ${emptyings}`,
    `${falseAlerts} of ${alerts}`,
    percent(covered / looks),
    number(brier / forecasts),
  ]
}

async function measured(what: string, kinds: readonly Kind[]): Promise<void> {
  const days: Days[] = []
  for (const kind of kinds)
    for (let seed = 1; seed <= seeds; seed += 1) days.push(await tenDays(kind, seed, seed === 1))
  const sum = (of: (day: Days) => Figures | undefined) => days.flatMap((day) => of(day) ?? []).reduce(added)
  console.log(`${what}: ${kinds.length} kinds, ${seeds} seeds`)
  for (const cells of [
    COLUMNS,
    row(
      '1',
      sum(({ first }) => first),
    ),
    row(
      `${TRADING_DAYS}, nothing learned`,
      sum(({ lastUnlearned }) => lastUnlearned),
    ),
    row(
      `${TRADING_DAYS}`,
      sum(({ last }) => last),
    ),
    row(
      `${TRADING_DAYS}, the oracle, first seed`,
      sum(({ last }) => last.best),
    ),
  ])
    console.log(`| ${cells.join(' | ')} |`)
}

for (const limit of ['320 in', '90 in'])
  await measured(
    `a daily pattern, ${limit}`,
    dailyKinds().filter(({ name }) => name.includes(limit)),
  )
await measured('control without a pattern', controlKinds())

const restarted = listedKinds().filter(({ shape }) => shape !== 'alone')
const after = await meanAfterRestart(restarted, seeds)
console.log(`the hour after a restart: ${restarted.length} kinds, ${seeds} seeds, Brier score`)
console.log(
  `| running on ${number(after.running)} | restarted ${number(after.restarted)} | nothing learned ${number(after.forgetful)} |`,
)
