import { classesOf } from '../components/classes.ts'
import { chartReading } from './chart-reading.ts'
import sheet from './history.module.css'
import type { ChartRow } from './series.ts'

const css = classesOf(sheet)

interface ReadingProps {
  readonly row: ChartRow
  /** Requests. */
  readonly limit: number
}

/** The values at the cursor. Nothing in a gap of the line. */
export function Reading({ row, limit }: ReadingProps) {
  const reading = chartReading(row, limit)
  if (reading === undefined) return null
  return (
    <div className={css('reading')} aria-live="polite" data-testid="reading">
      <p>
        <b>{reading.time}</b> {reading.source}
      </p>
      <dl>
        {reading.facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
