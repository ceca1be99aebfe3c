import type { History } from '../../app/contract/history.ts'

export interface BandRow {
  /**
   * The middle of the column, epoch ms. A column without neighbours has two rows instead: one at its start
   * and one at its end.
   */
  readonly at: number
  readonly band?: readonly [low: number, high: number]
  /** Whether the column has no header and only the model's estimates. */
  readonly modelled?: boolean
}

/** Number of columns in a chart. */
export const BAND_COLUMNS = 150

/**
 * Reduces points to the lowest and highest value per column, so that a dip of one second is visible on a
 * chart of a week.
 *
 * Estimates count only in a column without a header. More than `MAX_EMPTY` consecutive empty columns form a
 * gap.
 */
export function bandRows(points: History['points'], fromMs: number, toMs: number): readonly BandRow[] {
  const widthMs = (toMs - fromMs) / BAND_COLUMNS
  const columns = new Map<number, { low: number; high: number; header: boolean }>()
  for (const { at: atMs, remaining, source } of points) {
    if (atMs < fromMs || atMs > toMs) continue
    const index = Math.min(BAND_COLUMNS - 1, Math.floor((atMs - fromMs) / widthMs))
    const column = columns.get(index)
    if (column === undefined) {
      columns.set(index, { low: remaining, high: remaining, header: source === 'header' })
      continue
    }
    const header = source === 'header'
    if (column.header && !header) continue
    const isFirstHeader = header && !column.header
    column.low = isFirstHeader ? remaining : Math.min(column.low, remaining)
    column.high = isFirstHeader ? remaining : Math.max(column.high, remaining)
    column.header = header
  }
  const filled = [...columns].sort(([a], [b]) => a - b)
  const isApart = (a: number | undefined, b: number | undefined) =>
    a === undefined || b === undefined || b - a > MAX_EMPTY + 1
  const rows: BandRow[] = []
  for (const [position, [index, { low, high, header }]] of filled.entries()) {
    const before = filled[position - 1]?.[0]
    const after = filled[position + 1]?.[0]
    const band = [low, high] as const
    if (before !== undefined && isApart(before, index)) rows.push({ at: at(before + 1.5) })
    // A column without neighbours is drawn at full width.
    if (isApart(before, index) && isApart(index, after)) {
      rows.push({ at: at(index), band, modelled: !header }, { at: at(index + 1), band, modelled: !header })
    } else rows.push({ at: at(index + 0.5), band, modelled: !header })
  }
  return rows

  function at(column: number): number {
    return Math.round(fromMs + column * widthMs)
  }
}

/** Maximum number of consecutive empty columns that a line crosses. */
export const MAX_EMPTY = 2
