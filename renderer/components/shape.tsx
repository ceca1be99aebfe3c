import type { Severity } from '../../app/status/severity.ts'
import { classesOf } from './classes.ts'
import sheet from './shape.module.css'

const css = classesOf(sheet)

/** A mark of severity that differs in shape as well as in colour. The text next to it names the state. */
export function Shape({ severity }: { readonly severity: Severity }) {
  return <i className={css('shape', severity)} aria-hidden="true" data-severity={severity} />
}
