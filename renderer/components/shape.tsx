import type { Severity } from '../../app/contract/severity.ts'
import { STATE_LABELS } from '../../app/status/quota-status.ts'
import { classesOf } from './classes.ts'
import sheet from './shape.module.css'

const css = classesOf(sheet)

/** Labels that have a shape of their own, whatever their severity. */
const SHAPES: Readonly<Record<string, string>> = {
  [STATE_LABELS.blocked]: 'refused',
  [STATE_LABELS.empty]: 'empty',
  [STATE_LABELS['running-out']]: 'falling',
}

interface ShapeProps {
  readonly severity: Severity
  /** The word beside it. */
  readonly label?: string | undefined
}

/** A mark of severity that differs in shape as well as in colour. The text next to it names the state. */
export function Shape({ severity, label = '' }: ShapeProps) {
  return <i className={css('shape', severity, SHAPES[label])} aria-hidden="true" data-severity={severity} />
}
