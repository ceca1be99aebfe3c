import { classesOf } from './classes.ts'
import sheet from './dialog.module.css'

const css = classesOf(sheet)

/** Why main did not do what a dialog asked for, where it was asked. */
export function Refusal({ words }: { readonly words: string | undefined }) {
  if (words === undefined) return null
  return (
    <p className={css('refusal')} role="alert">
      {words}
    </p>
  )
}
