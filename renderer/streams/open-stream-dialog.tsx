import { Dialog } from 'radix-ui'
import { type FormEvent, useId, useRef, useState } from 'react'
import {
  STREAM_KINDS,
  STREAM_TABLE,
  type StreamKind,
  type StreamOption,
} from '../../app/service/stream-kinds.ts'
import { proposalName } from '../../app/status/stream-status.ts'
import { Button, Select } from '../components/controls.tsx'
import { Field, formText, Refusal } from '../components/form.tsx'
import { slotText } from '../format/slot-text.ts'
import { useAsked } from '../hooks/use-asked.ts'
import type { OfKey } from '../state/view-state.ts'
import { useParts, useSnapshot } from '../state/window-parts.ts'
import { checkStreamForm, type FormErrors, streamForm } from './stream-form.ts'

const NO_ERRORS: FormErrors = {}

export function OpenStreamDialog({ profile }: OfKey) {
  const { api, view } = useParts()
  const asked = useAsked<{ readonly stream: string }>()
  const [kind, setKind] = useState<StreamKind>('quotes')
  const [errors, setErrors] = useState(NO_ERRORS)
  const kindId = useId()
  const form = streamForm(kind)
  const close = () => view.setState({ dialog: undefined })

  const formRef = useRef<HTMLFormElement>(null)
  const ask = async (element: HTMLFormElement, replace?: string) => {
    const data = new FormData(element)
    const checked = checkStreamForm(kind, formText(data, 'target'), (name) => formText(data, name))
    setErrors(checked.ok ? NO_ERRORS : checked.errors)
    if (!checked.ok) return
    const { target, options } = checked
    const opened = await asked.run(() =>
      api.openStream({
        profile: profile.id,
        kind,
        target,
        ...(options && { options }),
        ...(replace && { replace }),
      }),
    )
    if (opened !== undefined) close()
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    void ask(event.currentTarget)
  }
  const proposal = asked.refused?.code === 'no-slot' ? asked.refused.proposal : undefined

  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <div className="backdrop" />
        <Dialog.Content className="dialog">
          <Dialog.Title>Open a stream</Dialog.Title>
          <Dialog.Description>It stays open and reconnects until you close it or quit.</Dialog.Description>
          <form ref={formRef} onSubmit={submit} noValidate>
            <div className="field">
              <label htmlFor={kindId}>Kind</label>
              <Select
                id={kindId}
                name="kind"
                value={kind}
                choices={STREAM_KINDS}
                words={(one) => STREAM_TABLE[one].name}
                onChoose={(next) => {
                  setKind(next)
                  setErrors(NO_ERRORS)
                  asked.clear()
                }}
              />
              <SlotsLeft kind={kind} />
            </div>
            <Field
              key={form.label}
              label={form.label}
              name="target"
              placeholder={form.placeholder}
              hint={form.hint}
              error={errors['target']}
            />
            <div className="pair">
              {form.options.map((option) => (
                <OptionField key={`${kind} ${option.name}`} option={option} error={errors[option.name]} />
              ))}
            </div>
            <Refusal words={asked.refusal} />
            <div className="actions">
              <Button onClick={close}>Cancel</Button>
              {proposal !== undefined && (
                <Button
                  disabled={asked.waiting}
                  onClick={() => formRef.current && void ask(formRef.current, proposal.stream)}
                >
                  Replace {proposalName(proposal)}
                </Button>
              )}
              <Button type="submit" look="primary" disabled={asked.waiting}>
                Open stream
              </Button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function SlotsLeft({ kind }: { readonly kind: StreamKind }) {
  const { category } = STREAM_TABLE[kind]
  const slots = useSnapshot((snapshot) => snapshot.slots.find((one) => one.category === category))
  return (
    <div className="hint">
      {category}
      {slots === undefined ? ' · no slot limit in the standard table' : ` · ${slots.free} ${slotText(slots)}`}
    </div>
  )
}

function OptionField(props: { readonly option: StreamOption; readonly error: string | undefined }) {
  const { option, error } = props
  const id = useId()
  const { choices } = option
  if (choices === undefined) {
    return <Field label={option.label} name={option.name} initial={option.initial} error={error} />
  }
  return (
    <div className="field">
      <label htmlFor={id}>{option.label}</label>
      <select id={id} name={option.name} defaultValue={option.initial}>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    </div>
  )
}
