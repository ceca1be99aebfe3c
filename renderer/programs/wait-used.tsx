import { classesOf } from '../components/classes.ts'
import sheet from './programs.module.css'

const css = classesOf(sheet)

/**
 * The share of its longest wait that the next request will have used at its turn. The text next to it shows
 * when that is.
 */
export function WaitUsed({ used }: { readonly used: number }) {
  return (
    <i
      className={css('wait-bar')}
      data-severity={used > 0.9 ? 'warning' : 'ok'}
      title={`${Math.round(100 * used)} % of its longest wait`}
    >
      <i className={css('wait-used')} style={{ width: `${100 * used}%` }} />
    </i>
  )
}
