import { classesOf } from '../components/classes.ts'
import dialogSheet from '../components/dialog.module.css'

const css = classesOf(dialogSheet)

interface ElsewhereLineProps {
  readonly id: string
  /** The present value, while the person is entering another one. */
  readonly insteadOf?: string | undefined
}

/** The note under a setting that another window changed. */
export function ElsewhereLine({ id, insteadOf }: ElsewhereLineProps) {
  return (
    <p id={id} className={css('beneath', 'hint')} role="status">
      {insteadOf === undefined
        ? 'Changed in another window.'
        : `Changed in another window, to ${insteadOf === '' ? 'nothing' : insteadOf}. Your edit applies when you leave the field.`}
    </p>
  )
}
