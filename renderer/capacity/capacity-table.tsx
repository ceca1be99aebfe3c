import { useMemo } from 'react'
import type { RequestQuota } from '../../app/contract/snapshot.ts'
import { shownRows } from '../../app/quota/verdict.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { useLook, useParts, useShown } from '../state/window-parts.ts'
import sheet from './capacity.module.css'
import { CapacityRow } from './capacity-row.tsx'
import { useChosenCategory } from './chosen-category.ts'

const css = classesOf({ ...controlsSheet, ...sheet })

/** Separates names in one comparable string. A header cannot contain it. */
const SEPARATOR = '\n'

export function CapacityTable() {
  const named = useShown((snapshot) =>
    shownRows(snapshot.requests)
      .map((quota) => quota.category)
      .join(SEPARATOR),
  )
  const categories = useMemo(() => (named ? named.split(SEPARATOR) : []), [named])
  const fixed = useShown((snapshot) => snapshot.requests.some((quota) => quota.model === 'fixed'))
  const threshold = useShown((snapshot) => commonThresholdText(snapshot.requests))
  const chosen = useChosenCategory()
  return (
    <section className={css('panel', 'capacity')} aria-labelledby="capacity-title">
      <div className={css('head')}>
        <h2 id="capacity-title">Request quotas</h2>
        <span>
          {fixed ? 'fixed windows' : 'rolling windows'} · solid = certain, hatched = possible, mark = low
          below {threshold}
        </span>
      </div>
      <div className={css('scroll')}>
        <table className={css('table')} aria-labelledby="capacity-title">
          <thead>
            <tr>
              <th scope="col" className={css('state')}>
                State
              </th>
              <th scope="col" className={css('name')}>
                Category
              </th>
              <th scope="col" className={css('bar-cell')}>
                Left
              </th>
              <th scope="col" className={css('count')}>
                <span className={css('beside-bar')}>of limit</span>
                <span className={css('without-bar')}>Left</span>
              </th>
              <th scope="col" className={css('own')}>
                Own /s
              </th>
              <th scope="col" className={css('others')}>
                Others /s
              </th>
              <th scope="col" className={css('pace')}>
                Safe pace
              </th>
              <th scope="col" className={css('full')}>
                <FullHead />
              </th>
              <th scope="col" className={css('age')}>
                Age <span className={css('check')}>/ check</span>
              </th>
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

/** `20 %`, where all rows share it; else `the row's own`. */
function commonThresholdText(rows: readonly RequestQuota[]): string {
  const [first] = rows
  const isCommon = rows.every(({ threshold }) => threshold === first?.threshold)
  return first !== undefined && isCommon ? `${Math.round(first.threshold * 100)} %` : "each row's own"
}

/** The head of the column "full": a click switches between times of day and countdowns. */
function FullHead() {
  const { look } = useParts()
  const as = useLook(({ fullAs }) => fullAs)
  return (
    <button
      type="button"
      className={css('toggle')}
      title={`When the quota is full if everyone stops. ${as === 'clock' ? 'Show how long that is' : 'Show when that is'}.`}
      onClick={() => look.setState({ fullAs: as === 'clock' ? 'countdown' : 'clock' })}
    >
      {as === 'clock' ? 'Full at' : 'Full in'}
    </button>
  )
}
