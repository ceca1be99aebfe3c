import { useState } from 'react'
import { PROGRAM_CLASSES } from '../../app/gateway/decisions.ts'
import { DEFAULT_GATEWAY_PORT, PROGRAM_LIMITS, PROGRAM_NAME } from '../../app/gateway/program-limits.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import dialogSheet from '../components/dialog.module.css'
import { Field } from '../components/field.tsx'
import { formText } from '../components/form-text.ts'
import { Refusal } from '../components/refusal.tsx'
import { useAsked } from '../hooks/use-asked.ts'
import { useCopy } from '../hooks/use-copy.ts'
import { useParts } from '../state/window-parts.ts'
import { programExamples } from './program-examples.ts'

const css = classesOf({ ...controlsSheet, ...dialogSheet })

interface NewKey {
  readonly name: string
  readonly key: string
}

interface AddProgramProps {
  readonly profile: string
  /** Where the gateway serves; absent while it does not. */
  readonly url: string | undefined
  added(): void
}

/** The form that adds a program, and its key, which is shown until the dialog closes or another one is added. */
export function AddProgram({ profile, url, added }: AddProgramProps) {
  const { api } = useParts()
  const asked = useAsked<{ readonly key: string }>()
  const [shown, setShown] = useState<NewKey>()
  const [problem, setProblem] = useState<string>()
  const add = async (form: FormData) => {
    const name = formText(form, 'name')
    const isName = name.length <= PROGRAM_LIMITS.name && PROGRAM_NAME.test(name)
    setProblem(isName ? undefined : `Up to ${PROGRAM_LIMITS.name} letters, digits, spaces, dots and dashes.`)
    const own = PROGRAM_CLASSES.find((one) => one === formText(form, 'class')) ?? 'normal'
    if (!isName) return
    const weight = Number(formText(form, 'weight'))
    const outcome = await asked.run(() => api.addProgram({ name, class: own, weight, profile }))
    if (outcome?.ok) setShown({ name, key: outcome.key })
    added()
  }
  return (
    <>
      <h3>Add a program</h3>
      <form
        className={css('pair')}
        onSubmit={(event) => {
          event.preventDefault()
          void add(new FormData(event.currentTarget))
        }}
      >
        <Field label="Name" name="name" error={problem} />
        <div className={css('field')}>
          <label htmlFor="program-class">Class</label>
          <select id="program-class" name="class" defaultValue="normal">
            {PROGRAM_CLASSES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
          <div className={css('hint')}>Critical goes first; normal and background leave it a reserve.</div>
        </div>
        <div className={css('field')}>
          <label htmlFor="program-weight">Weight</label>
          <input
            id="program-weight"
            name="weight"
            type="number"
            min={PROGRAM_LIMITS.weight.least}
            max={PROGRAM_LIMITS.weight.most}
            step="any"
            defaultValue={1}
            required
          />
          <div className={css('hint')}>Its share among the programs of its class.</div>
        </div>
        <div className={css('actions')}>
          <button type="submit" className={css('button', 'primary')} disabled={asked.waiting}>
            Add program
          </button>
        </div>
      </form>
      <Refusal words={asked.refusal} />
      {shown !== undefined && (
        <ShownKey shown={shown} url={url ?? `http://127.0.0.1:${DEFAULT_GATEWAY_PORT}`} />
      )}
    </>
  )
}

function ShownKey({ shown: { name, key }, url }: { readonly shown: NewKey; readonly url: string }) {
  const copy = useCopy()
  return (
    <section aria-label="New key">
      <h3>The key of {name}, shown this once</h3>
      <p>
        <code data-testid="program-key">{key}</code>{' '}
        <button
          type="button"
          className={css('button')}
          onClick={() => copy(key, `The key of ${name} is copied.`, 'Select the key and copy it by hand.')}
        >
          Copy key
        </button>
      </p>
      {programExamples(url, key).map(({ language, code }) => (
        <div key={language} className={css('field')}>
          <div className={css('hint')}>
            {language}{' '}
            <button
              type="button"
              className={css('link')}
              onClick={() =>
                copy(code, `The line for ${language} is copied.`, 'Select the line and copy it.')
              }
            >
              Copy
            </button>
          </div>
          <code>{code}</code>
        </div>
      ))}
      <p className={css('hint')}>
        A program that refreshes tokens by itself takes {url} for both hosts, and the key as its refresh
        token.
      </p>
    </section>
  )
}
