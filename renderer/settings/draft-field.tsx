import { type ReactNode, useId, useState } from 'react'
import type { Typed } from './settings-text.ts'

interface DraftFieldProps<T> {
  readonly label: string
  readonly inputMode: 'decimal' | 'text'
  /** The present value as text. */
  readonly current: string
  /** Shown in an empty field: the value that applies without one. */
  readonly placeholder?: string
  readonly hint?: ReactNode
  /** Whether another window set the present value. */
  readonly isElsewhere: boolean
  readonly read: (text: string) => Typed<T>
  /** Resolves when main has set or rejected the value. */
  readonly onChoose: (value: T) => Promise<void>
}

/**
 * A field of the settings. Its text is applied on Enter or when the field loses the focus. An invalid number
 * is not applied.
 */
export function DraftField<T>(props: DraftFieldProps<T>) {
  const { label, inputMode, current, placeholder, hint, isElsewhere, read, onChoose } = props
  const id = useId()
  const [draft, setDraft] = useState<string>()
  const wanted = draft === undefined ? undefined : read(draft)
  const error = wanted?.ok === false ? wanted.error : undefined
  const choose = async () => {
    if (wanted?.ok !== true) return
    if (draft !== current) await onChoose(wanted.value)
    setDraft((now) => (now === draft ? undefined : now))
  }
  const about = error ?? hint
  const beneath = [about !== undefined && `${id}-about`, isElsewhere && `${id}-elsewhere`].filter(Boolean)
  return (
    <div className="line">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        // With type="number", invalid text is hidden, so an error could not quote it.
        type="text"
        inputMode={inputMode}
        autoComplete="off"
        spellCheck={false}
        value={draft ?? current}
        placeholder={placeholder}
        aria-invalid={error !== undefined}
        aria-describedby={beneath.join(' ') || undefined}
        onChange={({ target }) => setDraft(target.value)}
        onBlur={() => void choose()}
        onKeyDown={({ key }) => key === 'Enter' && void choose()}
      />
      {about !== undefined && (
        <p id={`${id}-about`} className={error === undefined ? 'beneath hint' : 'beneath error'}>
          {about}
        </p>
      )}
      {isElsewhere && (
        <ElsewhereLine
          id={`${id}-elsewhere`}
          insteadOf={draft === undefined || draft === current ? undefined : current}
        />
      )}
    </div>
  )
}

interface ElsewhereLineProps {
  readonly id: string
  /** The present value while the person enters another one. */
  readonly insteadOf?: string | undefined
}

/** The note under a setting that another window changed. */
export function ElsewhereLine({ id, insteadOf }: ElsewhereLineProps) {
  return (
    <p id={id} className="beneath hint" role="status">
      {insteadOf === undefined
        ? 'Changed in another window.'
        : `Changed in another window, to ${insteadOf === '' ? 'nothing' : insteadOf}. Your edit applies when you leave the field.`}
    </p>
  )
}
