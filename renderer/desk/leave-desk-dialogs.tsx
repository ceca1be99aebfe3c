import { useState } from 'react'
import { Button } from '../components/controls.tsx'
import { Consequence, QuestionFrame } from '../components/question-frame.tsx'
import { useAsked } from '../hooks/use-asked.ts'
import type { OfKey } from '../state/view-state.ts'
import { useParts } from '../state/window-parts.ts'
import { InvitationToCopy } from './invite-dialog.tsx'

export function LeaveDeskDialog({ profile }: OfKey) {
  const { api, view } = useParts()
  const asked = useAsked<unknown>()
  const leave = async () => {
    const outcome = await asked.run(() => api.leaveDesk({ profile: profile.id }))
    if (outcome?.ok) view.setState({ dialog: undefined })
  }
  return (
    <QuestionFrame
      title="Leave the desk?"
      about={profile.name}
      refusal={asked.refusal}
      answer={
        <Button look="primary" disabled={asked.waiting} onClick={leave}>
          {asked.waiting ? 'Leaving…' : 'Leave'}
        </Button>
      }
    >
      <ul className="list">
        <Consequence severity="warning">
          This machine then sees only its own use, and queues alone.
        </Consequence>
        <Consequence severity="ok">The other machines stay on the desk.</Consequence>
        <Consequence severity="ok">Leaving doesn’t sign out any machine.</Consequence>
      </ul>
      <p>To join again, you need an invitation.</p>
    </QuestionFrame>
  )
}

export function ReplaceSecretDialog({ profile }: OfKey) {
  const { api } = useParts()
  const asked = useAsked<{ readonly invitation: string }>()
  const [invitation, setInvitation] = useState<string>()
  if (invitation !== undefined) return <InvitationToCopy title="Secret replaced" invitation={invitation} />
  const replace = async () => {
    const outcome = await asked.run(() => api.rotateDesk({ profile: profile.id }))
    if (outcome?.ok) setInvitation(outcome.invitation)
  }
  return (
    <QuestionFrame
      title="Replace the desk’s secret?"
      about={profile.name}
      refusal={asked.refusal}
      answer={
        <Button look="red" disabled={asked.waiting} onClick={replace}>
          {asked.waiting ? 'Replacing…' : 'Replace the secret'}
        </Button>
      }
    >
      <ul className="list">
        <Consequence severity="critical">Every other machine has to join again.</Consequence>
        <Consequence severity="warning">Invitations sent so far stop working.</Consequence>
        <Consequence severity="ok">Replacing it doesn’t sign out any machine.</Consequence>
      </ul>
    </QuestionFrame>
  )
}
