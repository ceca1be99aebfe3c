import { classesOf } from './classes.ts'
import sheet from './dialog.module.css'

const css = classesOf(sheet)

/** The error that main returned to a dialog's command, shown in the dialog. */
export function Refusal({ words }: { readonly words: string | undefined }) {
  if (words === undefined) return null
  return (
    <p className={css('refusal')} role="alert">
      {words}
    </p>
  )
}
