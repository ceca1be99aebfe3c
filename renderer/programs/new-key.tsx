import { useLayoutEffect, useRef } from 'react'
import { clockText } from '../../app/status/moments.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Icon } from '../components/icon.tsx'
import { Shape } from '../components/shape.tsx'
import { useCopy } from '../hooks/use-copy.ts'
import sheet from './add-program.module.css'
import { KEY_VARIABLE, programExamples } from './program-examples.ts'

const css = classesOf(sheet)

interface NewKeyProps {
  readonly name: string
  readonly value: string
  readonly url: string
  readonly isServing: boolean
  /** Time of the program's last call, epoch ms. Absent before the first call. */
  readonly lastSeenAt: number | undefined
  done(): void
}

/** The key of a new program and how to use it. The key is shown only once. */
export function NewProgramKey({ name, value, url, isServing, lastSeenAt, done }: NewKeyProps) {
  const copy = useCopy()
  // The form that had the focus is removed. Focus moves here before any key can reach the page instead.
  const first = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  const byHand = 'Select the key and copy it by hand.'
  return (
    <>
      <div className={css('adding-body')}>
        <section className={css('key')} aria-label="New key" data-severity="warning">
          <p>
            <Shape severity="warning" /> <b className="word">Shown once.</b> Copy the key of {name} now.
            Headroom saves only a hash.
          </p>
          <code className="secret" data-testid="program-key">
            {value}
          </code>
          <div className={css('key-actions')}>
            <Button
              ref={first}
              look={css('primary', 'with-icon')}
              onClick={() => copy(value, `Key of ${name} copied.`, byHand)}
            >
              <Icon name="copy" /> Copy key
            </Button>
            <Button
              onClick={() =>
                copy(`export ${KEY_VARIABLE}=${value}`, `Copied the line with the key of ${name}.`, byHand)
              }
            >
              Copy as export {KEY_VARIABLE}=…
            </Button>
          </div>
        </section>
        {programExamples(url).map(({ language, code }) => (
          <div key={language} className={css('code')}>
            <div>
              <b>{language}</b>
              <button
                type="button"
                className="with-icon"
                aria-label={`Copy the example for ${language}`}
                onClick={() =>
                  copy(code, `Example for ${language} copied.`, 'Select the lines and copy them.')
                }
              >
                <Icon name="copy" /> Copy
              </button>
            </div>
            <pre>{code}</pre>
          </div>
        ))}
        <p className={css('hint', 'lines')}>
          If the program refreshes tokens, give it {url} as both hosts. This key is also its refresh token.
        </p>
      </div>
      <div className={css('adding-foot')}>
        <span data-testid="program-called" data-severity={lastSeenAt === undefined ? 'unknown' : 'ok'}>
          <Shape severity={lastSeenAt === undefined ? 'unknown' : 'ok'} />{' '}
          {lastSeenAt !== undefined
            ? `Last call at ${clockText(lastSeenAt)}`
            : isServing
              ? 'No call yet'
              : 'No call yet: the gateway is off'}
        </span>
        <Button look="primary" onClick={done}>
          Done, I have the key
        </Button>
      </div>
    </>
  )
}
