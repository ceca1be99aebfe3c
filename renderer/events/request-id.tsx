import { classesOf } from '../components/classes.ts'
import { useCopy } from '../hooks/use-copy.ts'
import sheet from './events.module.css'

const css = classesOf(sheet)

/** A request id, shortened unless `whole`. A click copies the whole id. */
export function RequestId({ id, whole = false }: { readonly id: string; readonly whole?: boolean }) {
  const copy = useCopy()
  return (
    <button
      type="button"
      className={css('id', whole && 'whole')}
      title={`${id} · copy`}
      aria-label={`Copy request id ${id}`}
      onClick={() => copy(id, 'Request id copied.', `The request id is ${id}`)}
    >
      {!whole && id.length > 10 ? `${id.slice(0, 4)}…${id.slice(-2)}` : id}
    </button>
  )
}
