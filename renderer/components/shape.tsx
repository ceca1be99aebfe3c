import type { Severity } from '../../app/status/severity.ts'
import { classesOf } from './classes.ts'
import sheet from './shape.module.css'

const css = classesOf(sheet)

/** A dot, a square, a triangle or a ring: told apart without colour. The words beside it say what it means. */
export function Shape({ severity }: { readonly severity: Severity }) {
  return <i className={css('shape', severity)} aria-hidden="true" data-severity={severity} />
}
