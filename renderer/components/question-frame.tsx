import { AlertDialog } from 'radix-ui'
import type { ReactNode } from 'react'
import type { Severity } from '../../app/contract/severity.ts'
import { useParts } from '../state/window-parts.ts'
import { Refusal } from './form.tsx'
import { Shape } from './shape.tsx'

interface QuestionFrameProps {
  readonly title: string
  readonly about: ReactNode
  /** The consequences of confirming. */
  readonly children: ReactNode
  readonly refusal: string | undefined
  /** The button that confirms. Cancel comes before it and has the focus. */
  readonly answer: ReactNode
}

/** The frame of a dialog that asks for confirmation. A click outside does not close it. */
export function QuestionFrame({ title, about, children, refusal, answer }: QuestionFrameProps) {
  const { view } = useParts()
  const close = () => view.setState({ dialog: undefined })
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && close()}>
      <AlertDialog.Portal>
        <div className="backdrop" />
        <AlertDialog.Content className="dialog">
          <AlertDialog.Title>{title}</AlertDialog.Title>
          <AlertDialog.Description>{about}</AlertDialog.Description>
          {children}
          <Refusal words={refusal} />
          <div className="actions">
            <AlertDialog.Cancel className="button">Cancel</AlertDialog.Cancel>
            {answer}
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

export function Consequence(props: { readonly severity: Severity; readonly children: ReactNode }) {
  const { severity, children } = props
  return (
    <li>
      <Shape severity={severity} />
      <span>{children}</span>
    </li>
  )
}
