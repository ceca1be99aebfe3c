import type { Report } from '../../app/contract/history.ts'
import { ColumnHeads } from '../components/table.tsx'
import {
  countOrDash,
  happenings,
  knownText,
  lowestText,
  machinesLine,
  nearText,
  programsLine,
} from './report-text.ts'

export function ReportTables({ report }: { readonly report: Report }) {
  return (
    <>
      <RequestTable report={report} />
      <SlotTable report={report} />
      <p data-testid="happenings">{happenings(report)}</p>
    </>
  )
}

/** Whether the report has requests of a desk's other machines. */
const hasDesk = ({ requests }: Report): boolean => requests.some(({ desk }) => desk !== undefined)

function RequestTable({ report }: { readonly report: Report }) {
  const withDesk = hasDesk(report)
  if (report.requests.length === 0) return <p>No request quota was observed in this time.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard scrolling needs focus
    <section className="across" aria-label="Requests" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Requests</th>
            <th scope="col">Own</th>
            {withDesk && <th scope="col">Desk</th>}
            <ColumnHeads names={['Others', '429s', 'Lowest', 'Time low', 'Measured for']} />
          </tr>
        </thead>
        <tbody>
          {report.requests.map((row) => (
            <tr key={row.category}>
              <th scope="row">{row.category}</th>
              <td>
                {countOrDash(row.own)}
                {row.programs && <div className="hint">{programsLine(row)}</div>}
              </td>
              {withDesk && (
                <td>
                  {countOrDash(row.desk ?? 0)}
                  {row.machines && <div className="hint">{machinesLine(row)}</div>}
                </td>
              )}
              <td>{countOrDash(row.elsewhere)}</td>
              <td>{countOrDash(row.rejected)}</td>
              <td>{lowestText(row)}</td>
              <td>{nearText(row)}</td>
              <td className="muted">{knownText(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function SlotTable({ report }: { readonly report: Report }) {
  if (report.slots.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard scrolling needs focus
    <section className="across" aria-label="Stream slots" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Stream slots</th>
            <th scope="col">Peak own</th>
            <th scope="col">{hasDesk(report) ? 'Peak others, desk' : 'Peak others'}</th>
            <th scope="col">Least free</th>
            <th scope="col">429s</th>
          </tr>
        </thead>
        <tbody>
          {report.slots.map((row) => (
            <tr key={row.category}>
              <th scope="row">{row.category}</th>
              <td>{countOrDash(row.mostOwn)}</td>
              <td>{countOrDash(row.mostElsewhere)}</td>
              <td>{row.limit > 0 ? `${row.leastFree} / ${row.limit}` : '—'}</td>
              <td>{countOrDash(row.refused)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
