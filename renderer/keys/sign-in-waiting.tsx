import { Dialog } from 'radix-ui'
import { type AwaitedHost, awaitedHostText } from '../../app/sign-in/failure.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Shape } from '../components/shape.tsx'
import { useMirror } from '../state/window-parts.ts'
import sheet from './keys.module.css'
import { firstSentence, type SignInState } from './sign-in-state.ts'

const css = classesOf(sheet)

interface SignInWaitingProps {
  readonly state: Extract<SignInState, { readonly kind: 'waiting' }>
  readonly onCancel: () => void
}

/**
 * Shown during a sign-in through the browser. The sign-in's address contains no secret
 * (app/sign-in/authorize-url.ts).
 */
export function SignInWaiting({ state, onCancel }: SignInWaitingProps) {
  const { url, opened, notice, unreachable } = state
  const isInBrowser = useMirror((mirror) => mirror.hello?.host === 'browser')
  const host = new URL(url).host
  const isBlocked = unreachable !== undefined && !opened
  return (
    <>
      <Dialog.Title>{isBlocked ? 'Waiting for the sign-in host' : 'Continue in your browser'}</Dialog.Title>
      <Dialog.Description>
        {opened
          ? `The sign-in page of ${host} is open there. You have 5 minutes.`
          : `Sign in at ${host}, in a browser on this computer. You have 5 minutes.`}
      </Dialog.Description>
      {!isInBrowser && !opened && (
        <input className={css('address')} readOnly value={url} aria-label="Address of the sign-in page" />
      )}
      <div role="status">
        {unreachable !== undefined && <HostAway host={host} why={unreachable} isOpen={opened} />}
        {notice !== undefined && <p className="hint">{notice}</p>}
      </div>
      <div className="actions">
        <Button look="ghost" onClick={onCancel}>
          Cancel
        </Button>
        {isInBrowser && (
          <a
            className={css('button', 'goLink', opened || isBlocked ? 'plain' : 'primary')}
            href={url}
            target="_blank"
            rel="noopener noreferrer"
          >
            {opened ? 'Open it again' : 'Open the sign-in page'}
          </a>
        )}
      </div>
    </>
  )
}

function HostAway(away: AwaitedHost) {
  const { title, text } = awaitedHostText(away)
  return (
    <div className={css('notice')} data-sign-in="host-away">
      <Shape severity="warning" />
      <p>
        <b>{title}</b>
        <span>{text}</span>
      </p>
    </div>
  )
}

interface SignInNoticeProps {
  readonly state: SignInState
  /** Called when the person agrees to cancel a pending revocation. */
  readonly onAgree: () => void
}

export function SignInNotice({ state, onAgree }: SignInNoticeProps) {
  if (state.kind !== 'failed' && state.kind !== 'blocked') return null
  const { title, text } = firstSentence(state.message)
  const isBlocked = state.kind === 'blocked'
  return (
    <div className={css('notice')} role="alert" data-sign-in={isBlocked ? 'blocked' : state.code}>
      <Shape severity="warning" />
      <p>
        <b>{title}</b>
        <span>{isBlocked ? `${text} Continue and stop revoking?` : text}</span>
      </p>
      {isBlocked ? (
        // Not a submit button, so that Enter does not trigger it.
        <Button onClick={onAgree}>Continue</Button>
      ) : (
        <Button type="submit">{state.code === 'declined' ? 'Start over' : 'Try again'}</Button>
      )}
    </div>
  )
}
