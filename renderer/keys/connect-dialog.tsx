import { useState } from 'react'
import { DEFAULT_AUDIENCE } from '../../app/sign-in/authorize-url.ts'
import { Field, formText } from '../components/form.tsx'
import { ENVIRONMENT_LABELS } from '../format/environment-labels.ts'
import { useParts } from '../state/window-parts.ts'
import { CONNECTIONS, type ConnectionKind, checkConnection, type Way } from './connect-form.ts'
import { KeyDialog } from './key-dialog.tsx'
import { chosenScopes } from './scope-choices.tsx'
import { useSignIn } from './use-sign-in.ts'

const NO_ERRORS: Readonly<Record<string, string>> = {}

/**
 * The dialog that connects a key.
 *
 * A secret is passed from its input to main once. Inputs are read when the form is submitted, and their
 * values are not in any state of the window.
 */
export function ConnectDialog() {
  const { api, view } = useParts()
  const [environment, setEnvironment] = useState<ConnectionKind>('live')
  const [errors, setErrors] = useState(NO_ERRORS)
  const close = () => view.setState({ dialog: undefined })
  const attempt = useSignIn((profile) => view.setState({ dialog: undefined, profile, category: undefined }))

  const submit = (form: FormData, way: Way, agreed: boolean) => {
    const checked = checkConnection(environment, way, (name) => formText(form, name))
    setErrors(checked.ok ? NO_ERRORS : checked.errors)
    if (!checked.ok) return
    const { refreshToken, ...key } = checked.connection
    const consent = agreed ? { cancelRevoke: true } : {}
    attempt.ask(() =>
      refreshToken === undefined
        ? api.startSignIn({ ...key, ...consent, extraScopes: chosenScopes(form) })
        : api.connect({ ...key, ...consent, refreshToken }),
    )
  }

  return (
    <KeyDialog
      title="Connect a brokerage key"
      about="Read-only access. Headroom never places orders."
      attempt={attempt}
      errors={errors}
      onSubmit={submit}
      onClose={close}
    >
      <div className="segments" role="radiogroup" aria-label="Environment">
        {CONNECTIONS.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="environment"
              value={one}
              checked={environment === one}
              onChange={() => setEnvironment(one)}
            />
            {ENVIRONMENT_LABELS[one]}
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
          <Field label="Audience" name="audience" initial={DEFAULT_AUDIENCE} error={errors['audience']} />
        </>
      )}
      <Field label="API key" name="clientId" error={errors['clientId']} />
      <Field
        label="Secret (leave empty for a PKCE key)"
        name="clientSecret"
        type="password"
        error={errors['clientSecret']}
      />
      <Field label="Name" name="name" placeholder="Main key" error={errors['name']} />
    </KeyDialog>
  )
}
