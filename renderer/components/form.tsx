import { type ComponentProps, type ReactNode, useId } from 'react'

interface FieldProps {
  readonly label: string
  readonly name: string
  readonly type?: 'text' | 'password' | 'url' | 'number'
  readonly initial?: string
  readonly placeholder?: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  /** Height of a field for several lines of text. Absent for one line. */
  readonly lines?: number
}

/** An input with its label, hint and error. The form reads the value from the input. No state stores it. */
export function Field({ label, name, type = 'text', initial, placeholder, hint, error, lines }: FieldProps) {
  const id = useId()
  const isSecret = type === 'password'
  const common = {
    ...{ id, name, placeholder, defaultValue: initial, spellCheck: false },
    'aria-invalid': error !== undefined,
    'aria-describedby': error === undefined && hint === undefined ? undefined : `${id}-about`,
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {lines === undefined ? (
        <input {...common} type={type} autoComplete={isSecret ? 'new-password' : 'off'} />
      ) : (
        <textarea {...common} rows={lines} autoComplete="off" className={isSecret ? 'masked' : ''} />
      )}
      <div id={`${id}-about`} className={error === undefined ? 'hint' : 'error'}>
        {error ?? hint}
      </div>
    </div>
  )
}

interface TickProps extends ComponentProps<'input'> {
  readonly id: string
  readonly label: string
  readonly onTick: (isTicked: boolean) => void
}

export const Tick = ({ label, onTick, ...props }: TickProps) => (
  <>
    <label htmlFor={props.id}>{label}</label>
    <input {...props} type="checkbox" onChange={({ target }) => onTick(target.checked)} />
  </>
)

/** The text of a form field, without surrounding white space. */
export function formText(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

export function Refusal({ words }: { readonly words: string | undefined }) {
  if (words === undefined) return null
  return (
    <p className="refusal" role="alert">
      {words}
    </p>
  )
}
