import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { useAsked } from '../hooks/use-asked.ts'
import { useParts } from '../state/window-parts.ts'
import sheet from './details.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** The button that checks a row now. It is the only check of stream categories, by opening a stream. */
export function CheckNow({ profile, category }: { readonly profile: string; readonly category: string }) {
  const { api } = useParts()
  const asked = useAsked()
  return (
    <div className={css('check')}>
      <button
        type="button"
        className={css('button')}
        disabled={asked.waiting}
        onClick={() => void asked.run(() => api.checkNow({ profile, category }))}
      >
        {asked.waiting ? 'Checking…' : 'Check now'}
      </button>
      <span role="alert">{asked.refusal}</span>
    </div>
  )
}
