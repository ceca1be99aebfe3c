import { useId, useState } from 'react'
import type { PlannedProgram } from '../../app/plan/plan.ts'
import { STREAM_KINDS, STREAM_TABLE, type StreamKind } from '../../app/service/stream-kinds.ts'
import { classesOf } from '../components/classes.ts'
import { Button, IconButton, Select } from '../components/controls.tsx'
import { type ChangeDraft, streamRemoved } from '../state/plan-draft.ts'
import { checkStreamForm, streamForm } from '../streams/stream-form.ts'
import planSheet from './plan.module.css'
import sheet from './plan-programs.module.css'

const css = classesOf({ ...planSheet, ...sheet })

interface StreamsOfProps {
  readonly program: PlannedProgram
  readonly change: ChangeDraft
}

export function StreamsOf({ program: { name, streams }, change }: StreamsOfProps) {
  return (
    <span className={css('streams')}>
      {streams.map(({ kind, target, options }, at) => {
        const words = `${STREAM_TABLE[kind].name} ${target}`
        return (
          <span
            key={`${kind} ${target} ${JSON.stringify(options)}`}
            className={css('chip', 'stream')}
            title={words}
          >
            <span className="cut">{words}</span>
            <IconButton
              icon="close"
              label={`Remove ${words} from ${name}`}
              onClick={() => change((draft) => streamRemoved(draft, name, at))}
            />
          </span>
        )
      })}
    </span>
  )
}

interface AddStreamProps {
  readonly name: string
  add(stream: PlannedProgram['streams'][number]): void
  close(): void
}

export function AddStream({ name, add, close }: AddStreamProps) {
  const id = useId()
  const [kind, setKind] = useState<StreamKind>('option-chains')
  const [target, setTarget] = useState('')
  const [problem, setProblem] = useState<string>()
  const form = streamForm(kind)
  const initials = new Map(form.options.map((option) => [option.name, option.initial]))
  const submit = () => {
    const checked = checkStreamForm(kind, target.trim(), (option) => initials.get(option) ?? '')
    if (!checked.ok) return setProblem(checked.errors['target'] ?? Object.values(checked.errors)[0])
    add({ kind, target: checked.target, options: checked.options ?? {} })
    close()
  }
  return (
    <form
      className={css('add-stream')}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        close()
      }}
    >
      <Select
        aria-label={`Kind of stream for ${name}`}
        value={kind}
        choices={STREAM_KINDS}
        words={(one) => STREAM_TABLE[one].name}
        onChoose={setKind}
      />
      <input
        // biome-ignore lint/a11y/noAutofocus: the button that opened the form is gone
        autoFocus
        aria-label={form.label}
        placeholder={form.placeholder}
        value={target}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onChange={(event) => {
          setTarget(event.target.value)
          setProblem(undefined)
        }}
      />
      <Button type="submit" look={css('small')}>
        Add
      </Button>
      <Button look={css('ghost', 'small')} onClick={close}>
        Cancel
      </Button>
      <span id={`${id}-problem`} className={css('error')}>
        {problem}
      </span>
    </form>
  )
}
