import { useMemo } from 'react'
import { shownRows } from '../../app/quota/shown-rows.ts'
import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { useLook, useParts, useShown } from '../view/window-parts.ts'
import sheet from './capacity.module.css'
import { CapacityRow } from './capacity-row.tsx'
import { useChosenCategory } from './chosen-category.ts'

const css = classesOf({ ...controlsSheet, ...sheet })

/** Separates names in one comparable string; no header can carry it. */
const SEPARATOR = '\n'

export function CapacityTable() {
  const named = useShown((snapshot) =>
    shownRows(snapshot.requests)
      .map((quota) => quota.category)
      .join(SEPARATOR),
  )
  const categories = useMemo(() => (named ? named.split(SEPARATOR) : []), [named])
  const fixed = useShown((snapshot) => snapshot.requests.some((quota) => quota.model === 'fixed'))
  const chosen = useChosenCategory()
  return (
    <section className={css('panel', 'capacity')} aria-labelledby="capacity-title">
      <div className={css('head')}>
        <h2 id="capacity-title">Request capacity</h2>
        <span>remaining of limit, {fixed ? 'fixed window' : 'rolling interval'}</span>
      </div>
      <div className={css('scroll')}>
        <table className={css('table')} aria-labelledby="capacity-title">
          <thead>
            <tr>
              <th scope="col">Category</th>
              <th scope="col" className={css('left', 'bar-cell')}>
                Remaining
              </th>
              <th scope="col" className={css('count')}>
                <span className={css('beside-bar')}>of limit</span>
                <span className={css('without-bar')}>Remaining</span>
              </th>
              <th scope="col" className={css('rate')}>
                Use
              </th>
              <th scope="col" className={css('elsewhere')}>
                Elsewhere
              </th>
              <th scope="col" className={css('rate')}>
                Next +1
              </th>
              <th scope="col" className={css('full')}>
                <FullHead />
              </th>
              <th scope="col">Verdict</th>
              <th scope="col">Age</th>
            </tr>
          </thead>
          <tbody>
            {categories.map((category) => (
              <CapacityRow key={category} category={category} chosen={category === chosen} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** A click turns the column's times of day into countdowns, and back. */
function FullHead() {
  const { look } = useParts()
  const as = useLook(({ fullAs }) => fullAs)
  return (
    <button
      type="button"
      className={css('toggle')}
      title={as === 'clock' ? 'Show how long that is' : 'Show when that is'}
      onClick={() => look.setState({ fullAs: as === 'clock' ? 'countdown' : 'clock' })}
    >
      {as === 'clock' ? 'Full, if idle' : 'Full in, if idle'}
    </button>
  )
}
