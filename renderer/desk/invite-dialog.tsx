import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { DialogFrame } from '../components/dialog-frame.tsx'
import { Refusal } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { useAsked } from '../hooks/use-asked.ts'
import { useCopy } from '../hooks/use-copy.ts'
import type { OfKey } from '../state/view-state.ts'
import { useParts } from '../state/window-parts.ts'
import sheet from './desk.module.css'

const css = classesOf(sheet)

const ABOUT = 'Anyone with the invitation can join the desk.'

export function InviteDialog({ profile }: OfKey) {
  const { api } = useParts()
  const asked = useAsked<{ readonly invitation: string }>()
  const [invitation, setInvitation] = useState<string>()
  if (invitation !== undefined) return <InvitationToCopy title="Invite a machine" invitation={invitation} />
  const show = async () => {
    const outcome = await asked.run(() => api.deskInvitation({ profile: profile.id }))
    if (outcome?.ok) setInvitation(outcome.invitation)
  }
  return (
    <DialogFrame title="Invite a machine" about={ABOUT}>
      <p>The invitation contains the desk’s secret. Send it over a private channel.</p>
      <Refusal words={asked.refusal} />
      <div className="actions">
        <Dialog.Close className="button ghost">Cancel</Dialog.Close>
        <Button look="primary" disabled={asked.waiting} onClick={() => void show()}>
          Show the invitation
        </Button>
      </div>
    </DialogFrame>
  )
}

/** An invitation to copy. Nothing stores it after the dialog closes. */
export function InvitationToCopy(props: { readonly title: string; readonly invitation: string }) {
  const { title, invitation } = props
  const copy = useCopy()
  return (
    <DialogFrame title={title} about={ABOUT}>
      <p>
        Run <code>headroom desk join</code> there.
      </p>
      <code className={css('invitation', 'secret')} data-testid="invitation">
        {invitation}
      </code>
      <div className="actions">
        <Button
          look="with-icon"
          onClick={() => copy(invitation, 'Invitation copied.', 'Select the invitation and copy it.')}
        >
          <Icon name="copy" /> Copy
        </Button>
        <Dialog.Close className="button primary">Done</Dialog.Close>
      </div>
    </DialogFrame>
  )
}
