import type { Report } from './report.ts'

const COLUMNS = [
  'from',
  'to',
  'kind',
  'category',
  'limit',
  'own',
  'elsewhere',
  'refused_429',
  'lowest_remaining',
  'near_limit_seconds',
  'known_seconds',
] as const

/** RFC 4180, one row a category. For slots, own and elsewhere are the most that were held at once. */
export function reportCsv(report: Report): string {
  const from = new Date(report.from).toISOString()
  const to = new Date(report.to).toISOString()
  const rows: readonly (readonly (string | number)[])[] = [
    ...report.requests.map((row) => [
      from,
      to,
      'requests',
      row.category,
      row.limit,
      row.own,
      row.elsewhere,
      row.rejected,
      row.lowest,
      seconds(row.nearMs),
      seconds(row.knownMs),
    ]),
    ...report.slots.map((row) => [
      from,
      to,
      'slots',
      row.category,
      row.limit,
      row.mostOwn,
      row.mostElsewhere,
      row.refused,
      row.leastFree,
      '',
      '',
    ]),
  ]
  return [COLUMNS, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10

/**
 * Category names can come from a server's header: a spreadsheet must not take one, or a part of one, for a formula.
 * Where it separates by semicolons or tabs, as it does in half of Europe, it honours quotes only at a cell's beginning:
 * so what follows any separator is disarmed too, also in the wide forms that Japanese ones take for the same.
 */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = value.replace(/(^|[;,|"\t\r\n])(\s*)(?=[=+\-@＝＋－＠])/g, "$1$2'").replace(/^[\t\r]/, "'$&")
  return /[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
