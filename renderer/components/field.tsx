import { type ReactNode, useId } from 'react'
import { classesOf } from './classes.ts'
import sheet from './dialog.module.css'

const css = classesOf(sheet)

interface FieldProps {
  readonly label: string
  readonly name: string
  readonly type?: 'text' | 'password' | 'url' | 'number'
  readonly initial?: string
  readonly placeholder?: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
}

/** An input with its label, hint and error. The form reads its value; no state stores it. */
export function Field({ label, name, type = 'text', initial, placeholder, hint, error }: FieldProps) {
  const id = useId()
  const isSecret = type === 'password'
  return (
    <div className={css('field')}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={type}
        defaultValue={initial}
        placeholder={placeholder}
        autoComplete={isSecret ? 'new-password' : 'off'}
        spellCheck={false}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined && hint === undefined ? undefined : `${id}-about`}
      />
      <div id={`${id}-about`} className={css(error === undefined ? 'hint' : 'error')}>
        {error ?? hint}
      </div>
    </div>
  )
}
