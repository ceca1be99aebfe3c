import { memo } from 'react'
import type { History } from '../../app/contract/history.ts'
import { DAY_MS } from '../../app/contract/units.ts'
import { clockText, weekdayText } from '../../app/status/moments.ts'
import { RANGES } from '../charts/ranges.ts'
import { classesOf } from '../components/classes.ts'
import { ColumnHeads, ScrollBox } from '../components/table.tsx'
import type { ChartRange } from '../state/view-state.ts'
import sheet from './history.module.css'

const css = classesOf(sheet)

interface TableRow {
  readonly at: number
  readonly words: string
  readonly from: string
}

interface HistoryTableProps {
  readonly category: string
  readonly history: History
  readonly range: ChartRange
}

export const HistoryTable = memo(function HistoryTable({ category, history, range }: HistoryTableProps) {
  const isOfDays = RANGES[range].pastMs > DAY_MS / 2
  const rows: TableRow[] = [
    ...history.points.map((point) => ({
      at: point.at,
      words: String(Math.floor(point.remaining)),
      from: point.source === 'header' ? 'header' : 'estimate',
    })),
    ...history.rejectedAt.map((at) => ({ at, words: '429', from: 'refused' })),
  ].sort((a, b) => b.at - a.at)
  return (
    <ScrollBox label={`${category}, history as a table`}>
      <table className={css('headed', 'table')}>
        <thead>
          <tr>
            <ColumnHeads names={['Time', 'Left', 'From']} />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.at} ${row.from} ${row.words}`}>
              <td>{isOfDays ? weekdayText(row.at) : clockText(row.at)}</td>
              <td className="number">{row.words}</td>
              <td className="muted">{row.from}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className={css('empty')}>No data in this range.</p>}
    </ScrollBox>
  )
})
