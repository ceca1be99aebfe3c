import { Dialog } from 'radix-ui'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { DeskInvitation } from '../../app/contract/desk.ts'
import type { Outcome } from '../../app/contract/outcome.ts'
import { Button } from '../components/controls.tsx'
import { DialogFrame } from '../components/dialog-frame.tsx'
import { Field, formText, Refusal } from '../components/form.tsx'
import { type Asked, useAsked } from '../hooks/use-asked.ts'
import type { OfKey } from '../state/view-state.ts'
import { useParts } from '../state/window-parts.ts'
import {
  type CheckedDesk,
  checkJoinedDesk,
  checkNewDesk,
  type DeskErrors,
  type DeskField,
  placedError,
} from './desk-form.ts'
import { InvitationToCopy } from './invite-dialog.tsx'

const NO_ERRORS: DeskErrors = {}

export function CreateDeskDialog({ profile }: OfKey) {
  const { api } = useParts()
  const asked = useAsked<{ readonly invitation: string }>()
  const [invitation, setInvitation] = useState<string>()
  if (invitation !== undefined) return <InvitationToCopy title="Desk created" invitation={invitation} />
  return (
    <DeskFrame
      title="Create a desk"
      about={`Machines on a desk share one queue for ${profile.name}.`}
      form="new"
      asked={asked}
      check={checkNewDesk}
      run={async (desk) => {
        const outcome = await asked.run(
          (): Promise<DeskInvitation> => api.createDesk({ profile: profile.id, ...desk }),
        )
        if (outcome?.ok) setInvitation(outcome.invitation)
      }}
    >
      {(errors) => (
        <Field
          label="NATS server"
          name="servers"
          placeholder="nats://localhost:4222"
          hint="On another computer: tls://HOST:4222. Separate several with spaces."
          error={errors.servers}
        />
      )}
    </DeskFrame>
  )
}

export function JoinDeskDialog({ profile }: OfKey) {
  const { api, view } = useParts()
  const asked = useAsked<unknown>()
  return (
    <DeskFrame
      title="Join a desk"
      about={`Machines on a desk share one queue for ${profile.name}.`}
      form="joined"
      asked={asked}
      check={checkJoinedDesk}
      run={async (desk) => {
        const outcome = await asked.run(
          (): Promise<Outcome> => api.joinDesk({ profile: profile.id, ...desk }),
        )
        if (outcome?.ok) view.setState({ dialog: undefined })
      }}
    >
      {(errors) => (
        <Field
          label="Invitation"
          name="invitation"
          type="password"
          lines={3}
          hint="Get it from a machine on the desk. Invitations start with headroom-desk-1."
          error={errors.invitation}
        />
      )}
    </DeskFrame>
  )
}

interface DeskFrameProps<T> {
  readonly title: string
  readonly about: string
  readonly form: 'new' | 'joined'
  readonly asked: Asked<never>
  readonly check: (read: (name: DeskField) => string) => CheckedDesk<T>
  readonly run: (desk: T) => Promise<void>
  /** The first field. The fields about this machine follow it. */
  readonly children: (errors: DeskErrors) => ReactNode
}

/**
 * The frame of both forms. Secrets are read when the form is submitted and passed to main once; no state of
 * the window stores them.
 */
function DeskFrame<T>({ title, about, form, asked, check, run, children }: DeskFrameProps<T>) {
  const { view } = useParts()
  const [wrong, setWrong] = useState(NO_ERRORS)
  const placed = placedError(asked.refused, form)
  const errors = { ...placed, ...wrong }
  const isPlaced = Object.keys(placed).length > 0
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const checked = check((name) => formText(fields, name))
    setWrong(checked.ok ? NO_ERRORS : checked.errors)
    if (checked.ok) void run(checked.desk)
    else asked.clear()
  }
  return (
    <DialogFrame title={title} about={about}>
      <form onSubmit={submit} noValidate autoComplete="off">
        {children(errors)}
        <Field
          label="Name of this machine"
          name="name"
          hint="If empty, the computer’s name is used."
          error={errors.name}
        />
        <Field
          label="Credentials for NATS"
          name="credentials"
          type="password"
          lines={2}
          hint="user:password, a token, or the text of a .creds file."
          error={errors.credentials}
        />
        <Field
          label="CA file"
          name="tlsCa"
          placeholder="/etc/ssl/nats-ca.pem"
          hint="Only for a server with a private certificate authority."
          error={errors.tlsCa}
        />
        {!isPlaced && <Refusal words={asked.refusal} />}
        <div className="actions">
          {asked.refused?.code === 'desk-lost' && (
            <Button onClick={() => view.setState({ dialog: 'leave-desk' })}>Leave the saved desk…</Button>
          )}
          <Dialog.Close className="button ghost">Cancel</Dialog.Close>
          <Button type="submit" look="primary" disabled={asked.waiting}>
            {asked.waiting ? 'Connecting…' : title}
          </Button>
        </div>
      </form>
    </DialogFrame>
  )
}
