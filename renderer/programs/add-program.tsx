import { useEffect, useRef, useState } from 'react'
import { mayHaveOrders } from '../../app/contract/orders.ts'
import {
  DEFAULT_GATEWAY_PORT,
  DEFAULT_MAX_ORDERS,
  PROGRAM_CLASSES,
  PROGRAM_LIMITS,
  PROGRAM_NAME,
} from '../../app/contract/programs.ts'
import type { ProgramSummary } from '../../app/contract/snapshot.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Field, formText, Refusal } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { useAsked } from '../hooks/use-asked.ts'
import { useParts, useSnapshot } from '../state/window-parts.ts'
import sheet from './add-program.module.css'
import { ClassMark } from './class-mark.tsx'
import { NewProgramKey } from './new-key.tsx'

const css = classesOf(sheet)

const ABOUT = 'This computer only; read-only, no orders.'
const ABOUT_ORDERS = 'This computer only. To allow orders, tick the box below.'

interface AddProgramProps {
  readonly profile: string
  /** The gateway's address. Absent while the gateway is off. */
  readonly url: string | undefined
  readonly programs: readonly ProgramSummary[]
  added(): void
  close(): void
}

/** A panel that adds a program. The program's key is shown only in this panel, until the panel closes. */
export function AddProgram({ profile, url, programs, added, close }: AddProgramProps) {
  const { api } = useParts()
  const asked = useAsked<{ readonly key: string }>()
  const [shown, setShown] = useState<{ readonly name: string; readonly key: string }>()
  const [problem, setProblem] = useState<string>()
  const panel = useRef<HTMLElement>(null)
  const mayAllowOrders = useSnapshot(mayHaveOrders) ?? false
  useEffect(() => panel.current?.querySelector('input')?.focus(), [])
  const add = async (form: FormData) => {
    const name = formText(form, 'name')
    const isName = name.length <= PROGRAM_LIMITS.name && PROGRAM_NAME.test(name)
    setProblem(
      isName ? undefined : `Enter up to ${PROGRAM_LIMITS.name} letters, digits, spaces, dots and dashes.`,
    )
    const own = PROGRAM_CLASSES.find((one) => one === formText(form, 'class')) ?? 'normal'
    if (!isName) return
    const weight = Number(formText(form, 'weight'))
    const maxOrders = form.get('orders') === null ? {} : { maxOrders: Number(formText(form, 'maxOrders')) }
    const outcome = await asked.run(() => api.addProgram({ name, class: own, weight, profile, ...maxOrders }))
    if (outcome?.ok) setShown({ name, key: outcome.key })
    added()
  }
  return (
    <section
      ref={panel}
      className={css('panel', 'adding')}
      aria-labelledby="add-heading"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        close()
      }}
    >
      <div className={css('adding-head')}>
        <div>
          <h2 id="add-heading">Add a program</h2>
          <p>{mayAllowOrders ? ABOUT_ORDERS : ABOUT}</p>
        </div>
        <Button look={css('ghost', 'corner-button')} aria-label="Close" onClick={close}>
          <Icon name="close" />
        </Button>
      </div>
      {shown === undefined ? (
        <form
          className={css('adding-body')}
          onSubmit={(event) => {
            event.preventDefault()
            void add(new FormData(event.currentTarget))
          }}
        >
          <div className={css('name-and-weight')}>
            <Field label="Name" name="name" error={problem} />
            <Weight />
          </div>
          <fieldset className={css('classes')}>
            <legend>Class</legend>
            <div className={css('segments', 'segmented')}>
              {PROGRAM_CLASSES.map((one) => (
                <label key={one}>
                  <input type="radio" name="class" value={one} defaultChecked={one === 'normal'} />
                  <ClassMark of={one} />
                </label>
              ))}
            </div>
          </fieldset>
          <p className={css('hint', 'lines')}>
            Critical goes first, background last. Normal and background leave a reserve for critical. Weight
            is the share within a class.
          </p>
          {mayAllowOrders && <OrdersTick />}
          <Refusal words={asked.refusal} />
          <Button type="submit" look="primary" disabled={asked.waiting}>
            Add program
          </Button>
        </form>
      ) : (
        <NewProgramKey
          name={shown.name}
          value={shown.key}
          url={url ?? `http://127.0.0.1:${DEFAULT_GATEWAY_PORT}`}
          isServing={url !== undefined}
          lastSeenAt={programs.find(({ name }) => name === shown.name)?.lastSeenAt}
          done={close}
        />
      )}
    </section>
  )
}

function OrdersTick() {
  const [isTicked, setTicked] = useState(false)
  const { least, most } = PROGRAM_LIMITS.maxOrders
  return (
    <div className={css('orders')}>
      <label>
        <input
          name="orders"
          type="checkbox"
          checked={isTicked}
          onChange={({ target }) => setTicked(target.checked)}
        />
        May send orders
      </label>
      {isTicked && (
        <label>
          up to{' '}
          <input
            name="maxOrders"
            type="number"
            min={least}
            max={most}
            step={1}
            defaultValue={DEFAULT_MAX_ORDERS}
            required
          />{' '}
          a minute
        </label>
      )}
    </div>
  )
}

function Weight() {
  const { least, most } = PROGRAM_LIMITS.weight
  const [value, setValue] = useState('1')
  const step = (by: number) =>
    setValue((before) => String(Math.min(most, Math.max(1, Math.round(Number(before) || 0) + by))))
  return (
    <div className="field">
      <label htmlFor="program-weight">Weight</label>
      <div className={css('stepper')}>
        <button type="button" aria-label="Less weight" onClick={() => step(-1)}>
          −
        </button>
        <input
          id="program-weight"
          name="weight"
          type="number"
          min={least}
          max={most}
          step="any"
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          required
        />
        <button type="button" aria-label="More weight" onClick={() => step(1)}>
          +
        </button>
      </div>
    </div>
  )
}
