import { classesOf } from '../components/classes.ts'
import { CHART_RANGES, type HistoryView } from '../state/view-state.ts'
import { useLook, useParts, useView } from '../state/window-parts.ts'
import sheet from './history.module.css'

const css = classesOf(sheet)

export function HistoryTabs() {
  const { view, look } = useParts()
  const follows = useLook(({ followsWorst }) => followsWorst)
  const range = useView((one) => one.range)
  const panel = useView((one) => one.panel)
  const isMaximised = useView((one) => one.maximised)
  const other = (to: HistoryView) => view.setState({ panel: panel === to ? 'chart' : to })
  return (
    <div className={css('tabs', 'ranges')}>
      <label className={css('follow')}>
        <input
          type="checkbox"
          checked={follows}
          onChange={(event) => look.setState({ followsWorst: event.target.checked })}
        />
        Follow worst
      </label>
      {CHART_RANGES.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={panel !== 'details' && one === range}
          onClick={() => view.setState({ range: one, panel: panel === 'details' ? 'chart' : panel })}
        >
          {one}
        </button>
      ))}
      <button type="button" aria-pressed={panel === 'table'} onClick={() => other('table')}>
        Table
      </button>
      <button type="button" aria-pressed={panel === 'details'} onClick={() => other('details')}>
        Details
      </button>
      <button
        type="button"
        aria-label="Maximise"
        aria-pressed={isMaximised}
        title={isMaximised ? 'Restore the table and the panels (m)' : 'Maximise the chart (m)'}
        onClick={() => view.setState({ maximised: !isMaximised })}
      >
        ⤢
      </button>
    </div>
  )
}
