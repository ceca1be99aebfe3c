import { Dialog } from 'radix-ui'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import type { KeptSecrets } from '../../app/contract/windows.ts'
import type { WindowApi } from '../api/window-api.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Field } from '../components/form.tsx'
import { useAnswer } from '../hooks/use-answer.ts'
import type { Way } from './connect-form.ts'
import sheet from './keys.module.css'
import { ScopeChoices } from './scope-choices.tsx'
import { SignInNotice, SignInWaiting } from './sign-in-waiting.tsx'
import type { SignInAttempt } from './use-sign-in.ts'

const css = classesOf(sheet)

interface KeyDialogProps {
  readonly title: string
  readonly about: string
  readonly attempt: SignInAttempt
  /** The fields of the dialog other than the token. */
  readonly children?: ReactNode
  readonly errors: Readonly<Record<string, string>>
  readonly onSubmit: (form: FormData, way: Way, agreed: boolean) => void
  /**
   * Corrects the secret. Set if a corrected secret might be enough to continue without a new sign-in. The
   * dialog then offers the correction first.
   */
  readonly onSecret?: (form: FormData) => void
  readonly onClose: () => void
}

/**
 * A dialog that gets tokens, through the browser or from a pasted token. With `onSecret`, it can correct the
 * secret instead.
 *
 * During a sign-in through the browser, the form is hidden but stays mounted. Its inputs thus keep their text
 * for another attempt.
 */
export function KeyDialog(props: KeyDialogProps) {
  const { title, about, attempt, children, errors, onSubmit, onSecret, onClose } = props
  const [way, setWay] = useState<Way | 'secret'>(onSecret === undefined ? 'browser' : 'secret')
  const form = useRef<HTMLFormElement>(null)
  const { state } = attempt
  const isWaiting = state.kind === 'waiting'
  const isAsking = state.kind === 'asking' || state.kind === 'done'
  const close = () => {
    attempt.cancel()
    onClose()
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget)
    if (way === 'secret') onSecret?.(typed)
    else onSubmit(typed, way, false)
  }
  const agree = () => {
    if (form.current !== null && way !== 'secret') onSubmit(new FormData(form.current), way, true)
  }
  const change = () => {
    attempt.cancel()
    setWay(way === 'browser' ? 'paste' : 'browser')
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <div className="backdrop" />
        <Dialog.Content className="dialog">
          {isWaiting ? (
            <SignInWaiting state={state} onCancel={attempt.cancel} />
          ) : (
            <>
              <Dialog.Title>{title}</Dialog.Title>
              <Dialog.Description>{about}</Dialog.Description>
            </>
          )}
          <form ref={form} onSubmit={submit} noValidate autoComplete="off" hidden={isWaiting}>
            {children}
            {way === 'browser' && <ScopeChoices />}
            {way === 'paste' && (
              <Field
                label="Refresh token"
                name="refreshToken"
                type="password"
                error={errors['refreshToken']}
              />
            )}
            <WhereKept />
            <SignInNotice state={state} onAgree={agree} />
            <div className={css('actions', 'spread')}>
              <Button look="ghost" onClick={change}>
                {way === 'browser' ? 'Paste a refresh token instead' : 'Sign in with the browser instead'}
              </Button>
              <Button type="submit" look="primary" disabled={isAsking}>
                {buttonText(way, isAsking)}
              </Button>
            </div>
            <Button look={css('ghost', 'corner')} aria-label="Cancel" onClick={close}>
              ✕
            </Button>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function buttonText(way: Way | 'secret', isAsking: boolean): string {
  if (way === 'secret') return isAsking ? 'Trying…' : 'Use this secret'
  if (way === 'paste') return isAsking ? 'Connecting…' : 'Connect'
  return isAsking ? 'Opening…' : 'Sign in with the browser'
}

const helloOf = (main: WindowApi) => main.hello()

/**
 * Says where secrets are stored. Asks main when the dialog opens, because the displayed key may be the
 * simulator's, which is never stored.
 */
function WhereKept() {
  const { answer, failure } = useAnswer(helloOf)
  const keeps = failure === undefined ? answer && (answer.keeps ?? 'memory') : 'memory'
  return (
    <p className={css('kept', keeps === 'sealed' && 'good')}>
      {keeps === undefined ? '\u00a0' : KEPT_WORDS[keeps]}
    </p>
  )
}

const KEPT_WORDS: Readonly<Record<KeptSecrets, string>> = {
  sealed: 'Encrypted on this computer.',
  unprotected: 'Saved on this computer, unprotected, as you agreed.',
  memory: 'In memory only, until Headroom quits.',
}
