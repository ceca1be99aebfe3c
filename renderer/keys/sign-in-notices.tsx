import { Button } from '../components/button.tsx'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import sheet from './keys.module.css'
import { firstSentence, type SignInState } from './sign-in-state.ts'

const css = classesOf(sheet)

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
