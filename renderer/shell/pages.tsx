import { classesOf } from '../components/classes.ts'
import { useParts, useSnapshot, useView } from '../state/window-parts.ts'
import sheet from './header.module.css'

const css = classesOf(sheet)

/** The links to the pages, visible if the header has room. The menu "More" has them too. */
export function Pages() {
  const { view } = useParts()
  const page = useView((state) => state.page)
  const programs = useSnapshot((snapshot) => snapshot.programs?.length ?? 0) ?? 0
  return (
    <nav className={css('pages')} aria-label="Pages">
      <button
        type="button"
        className={css('page', 'with-room')}
        aria-current={page === 'dashboard' ? 'page' : undefined}
        onClick={() => view.setState({ page: 'dashboard' })}
      >
        Monitor
      </button>
      <button
        type="button"
        className={css('page', 'with-room')}
        aria-current={page === 'programs' ? 'page' : undefined}
        onClick={() => view.setState({ page: 'programs' })}
      >
        Programs {programs > 0 && <b>{programs}</b>}
      </button>
      <button
        type="button"
        className={css('page', 'with-room')}
        aria-current={page === 'plan' ? 'page' : undefined}
        onClick={() => view.setState({ page: 'plan' })}
      >
        Plan
      </button>
      <button type="button" className={css('page')} onClick={() => view.setState({ page: 'glance' })}>
        Glance
      </button>
    </nav>
  )
}
