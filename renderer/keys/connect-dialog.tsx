import { Dialog } from 'radix-ui'
import { type FormEvent, useState } from 'react'
import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import dialogSheet from '../theme/dialog.module.css'
import { Field } from '../theme/field.tsx'
import { formText } from '../theme/form-text.ts'
import { useAsked } from '../view/use-asked.ts'
import { useParts } from '../view/window-parts.ts'
import { CONNECTION_WORDS, CONNECTIONS, type ConnectionKind, checkConnection } from './connect-form.ts'

const css = classesOf({ ...controlsSheet, ...dialogSheet })

const NO_ERRORS: Readonly<Record<string, string>> = {}

/**
 * A secret goes from the input to main, once: the inputs are read when the form is sent and hold their values only
 * while the dialog is open; no state of the window has them.
 */
export function ConnectDialog() {
  const { api, view } = useParts()
  const asked = useAsked<{ readonly profile: string }>()
  const [environment, setEnvironment] = useState<ConnectionKind>('live')
  const [errors, setErrors] = useState(NO_ERRORS)
  const close = () => view.setState({ dialog: undefined })

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const checked = checkConnection(environment, (name) => formText(data, name))
    setErrors(checked.ok ? NO_ERRORS : checked.errors)
    if (!checked.ok) return
    const connected = await asked.run(() => api.connect(checked.connection))
    if (connected?.ok) view.setState({ dialog: undefined, profile: connected.profile, category: undefined })
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <div className={css('backdrop')} />
        <Dialog.Content className={css('dialog')}>
          <Dialog.Title>Connect a brokerage key</Dialog.Title>
          <Dialog.Description>Headroom asks for reading only. It never places orders.</Dialog.Description>
          <form onSubmit={submit} noValidate autoComplete="off">
            <div className={css('segments')} role="radiogroup" aria-label="Environment">
              {CONNECTIONS.map((one) => (
                <label key={one}>
                  <input
                    type="radio"
                    name="environment"
                    value={one}
                    checked={environment === one}
                    onChange={() => setEnvironment(one)}
                  />
                  {CONNECTION_WORDS[one]}
                </label>
              ))}
            </div>
            {environment === 'custom' && (
              <>
                <Field
                  label="Sign-in host"
                  name="authUrl"
                  type="url"
                  placeholder="https://"
                  error={errors['authUrl']}
                />
                <Field
                  label="Resource host"
                  name="baseUrl"
                  type="url"
                  placeholder="https://"
                  error={errors['baseUrl']}
                />
              </>
            )}
            <Field label="API key" name="clientId" error={errors['clientId']} />
            <Field
              label="Secret (leave empty for a PKCE key)"
              name="clientSecret"
              type="password"
              error={errors['clientSecret']}
            />
            <Field label="Refresh token" name="refreshToken" type="password" error={errors['refreshToken']} />
            <Field label="Name" name="name" initial="Main key" error={errors['name']} />
            <p className={css('good')}>Kept in memory only: gone when Headroom quits.</p>
            {asked.refusal !== undefined && (
              <p className={css('refusal')} role="alert">
                {asked.refusal}
              </p>
            )}
            <div className={css('actions')}>
              <button type="button" className={css('button', 'ghost')} onClick={close}>
                Cancel
              </button>
              <button type="submit" className={css('button', 'primary')} disabled={asked.waiting}>
                {asked.waiting ? 'Connecting…' : 'Connect'}
              </button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
