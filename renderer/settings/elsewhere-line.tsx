import { classesOf } from '../components/classes.ts'
import dialogSheet from '../components/dialog.module.css'

const css = classesOf(dialogSheet)

interface ElsewhereLineProps {
  readonly id: string
  /** What holds, where something else is being typed. */
  readonly insteadOf?: string | undefined
}

/** Beneath a setting that another window changed while this one shows it. */
export function ElsewhereLine({ id, insteadOf }: ElsewhereLineProps) {
  return (
    <p id={id} className={css('beneath', 'hint')} role="status">
      {insteadOf === undefined
        ? 'Changed in another window.'
        : `Changed in another window, to ${insteadOf === '' ? 'nothing' : insteadOf}. What you typed stays, and holds once you leave the field.`}
    </p>
  )
}
