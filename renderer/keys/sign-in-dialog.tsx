import { useState } from 'react'
import { Field, formText } from '../components/form.tsx'
import { ENVIRONMENT_LABELS } from '../format/environment-labels.ts'
import type { OfKey } from '../state/view-state.ts'
import { useParts, useSnapshot } from '../state/window-parts.ts'
import { refreshTokenError, type Way } from './connect-form.ts'
import { KeyDialog } from './key-dialog.tsx'
import { chosenScopes } from './scope-choices.tsx'
import { useSignIn } from './use-sign-in.ts'

const NO_ERRORS: Readonly<Record<string, string>> = {}

/** The dialog that gets new tokens for a connected key. Known data need not be entered again. */
export function SignInDialog({ profile }: OfKey) {
  const { api, view } = useParts()
  const isKeyWrong = useSnapshot(({ refresh }) => refresh.cause === 'misconfigured')
  // The value when the dialog opened. A later change must not alter the form while the person types.
  const [mayCorrect] = useState(isKeyWrong)
  const [errors, setErrors] = useState(NO_ERRORS)
  const close = () => view.setState({ dialog: undefined })
  const attempt = useSignIn(close)

  const submit = (form: FormData, way: Way, agreed: boolean) => {
    const refreshToken = formText(form, 'refreshToken')
    const error = way === 'paste' ? refreshTokenError(refreshToken) : undefined
    setErrors(error === undefined ? NO_ERRORS : { refreshToken: error })
    if (error !== undefined) return
    const clientSecret = formText(form, 'clientSecret')
    const asked = {
      profile: profile.id,
      ...(clientSecret !== '' && { clientSecret }),
      ...(agreed && { cancelRevoke: true }),
    }
    attempt.ask(() =>
      way === 'paste'
        ? api.replaceToken({ ...asked, refreshToken })
        : api.signInAgain({ ...asked, extraScopes: chosenScopes(form) }),
    )
  }

  const correct = (form: FormData) => {
    const clientSecret = formText(form, 'clientSecret')
    setErrors(clientSecret === '' ? { clientSecret: 'Enter the secret of this API key.' } : NO_ERRORS)
    if (clientSecret === '') return
    attempt.ask(() => api.correctSecret({ profile: profile.id, clientSecret }))
  }

  return (
    <KeyDialog
      title={mayCorrect ? 'Correct the secret' : 'Sign in again'}
      about={`${profile.name} · ${ENVIRONMENT_LABELS[profile.environment]}. Name, history and streams stay.`}
      attempt={attempt}
      errors={errors}
      onSubmit={submit}
      {...(mayCorrect && { onSecret: correct })}
      onClose={close}
    >
      <Field
        label={mayCorrect ? 'Secret' : 'Secret (leave empty if unchanged)'}
        name="clientSecret"
        type="password"
        error={errors['clientSecret']}
      />
    </KeyDialog>
  )
}
