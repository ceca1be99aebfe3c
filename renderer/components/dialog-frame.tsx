import { Dialog } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { useParts } from '../state/window-parts.ts'
import { Icon } from './icon.tsx'

interface DialogFrameProps {
  readonly title: string
  readonly about: ReactNode
  readonly width?: 'medium' | 'wide'
  readonly children: ReactNode
}

/**
 * The frame of a dialog that asks for no confirmation. The frame itself has only a close button. The title
 * has the focus at first.
 */
export function DialogFrame({ title, about, width, children }: DialogFrameProps) {
  const { view } = useParts()
  const titleRef = useRef<HTMLHeadingElement>(null)
  const close = () => view.setState({ dialog: undefined })
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <div className="backdrop" />
        <Dialog.Content
          className={width === undefined ? 'dialog' : `dialog ${width}`}
          onOpenAutoFocus={(event) => {
            // The first control must not get the focus, because it might react to a key press that is meant
            // as a shortcut of the window.
            event.preventDefault()
            titleRef.current?.focus()
          }}
        >
          <Dialog.Title ref={titleRef} tabIndex={-1} className="beside-corner">
            {title}
          </Dialog.Title>
          <Dialog.Description>{about}</Dialog.Description>
          {children}
          <Dialog.Close className="button ghost corner" aria-label="Close">
            <Icon name="close" />
          </Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
