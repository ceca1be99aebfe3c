import { isBroken, RULES, type Verdict } from './judge.ts'

/** One line about a slot, printed during the storm. */
export function slotLine({ fault, problems, figures }: Verdict): string {
  const { requests, byService, byHeadroom, broken, streamsLost, refusals, rightAfterMs } = figures
  const right =
    rightAfterMs === undefined ? 'never right' : `right after ${(rightAfterMs / 1000).toFixed(1)} s`
  const failed = RULES.filter((rule) => problems[rule].length > 0)
  return (
    `${fault}: ${right}, ${requests} requests (${byService} service, ${byHeadroom} headroom, ${broken} broken), ` +
    `${streamsLost} streams lost, ${refusals} 429s${failed.length === 0 ? '' : ` · FAILED: ${failed.join(', ')}`}`
  )
}

const COLUMNS = [
  'fault',
  ...RULES,
  'requests',
  'service',
  'headroom',
  'broken',
  'failed',
  'lost',
  '429s',
  'right after',
]

const rightWords = ({ rightAfterMs, rightLast }: Verdict['figures']): string =>
  rightAfterMs === undefined
    ? 'never'
    : `${(rightAfterMs / 1000).toFixed(1)} s${rightLast === undefined ? '' : ` (${rightLast})`}`

/** The table at the end, with a row for each slot. Below it are the broken rules. */
export function stormTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ fault, problems, figures }) => [
    fault,
    ...RULES.map((rule) => (problems[rule].length === 0 ? 'ok' : 'FAILED')),
    ...[figures.requests, figures.byService, figures.byHeadroom, figures.broken, figures.failed].map(String),
    ...[figures.streamsLost, figures.refusals].map(String),
    rightWords(figures),
  ])
  const widths = COLUMNS.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  const wrong = verdicts
    .filter(isBroken)
    .flatMap(({ fault, problems }) =>
      RULES.flatMap((rule) => problems[rule].map((what) => `${fault} · ${rule}: ${what}`)),
    )
  return [line(COLUMNS), ...rows.map(line), ...(wrong.length === 0 ? [] : ['', ...wrong])].join('\n')
}
