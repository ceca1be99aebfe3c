import { useEffect, useRef, useState } from 'react'
import { unanswered } from '../hooks/use-asked.ts'
import { useParts } from '../state/window-parts.ts'
import { ASKING, answered, IDLE, type KeyOutcome, type SignInState, withStatus } from './sign-in-state.ts'

export type SignInAttempt = ReturnType<typeof useSignIn>

/** The attempt of one dialog to get tokens. `onDone` is called once, with the profile of the tokens. */
export function useSignIn(onDone: (profile: string) => void) {
  const { api } = useParts()
  const [state, setState] = useState<SignInState>(IDLE)
  /** Number of the current attempt. Responses to earlier attempts are ignored. */
  const attempt = useRef(0)
  const done = useRef(onDone)
  done.current = onDone
  useEffect(() => api.signInChanged((status) => setState((now) => withStatus(now, status))), [api])
  const profile = state.kind === 'done' ? state.profile : undefined
  useEffect(() => {
    if (profile !== undefined) done.current(profile)
  }, [profile])

  const end = (signIn: string) => {
    api.cancelSignIn({ signIn }).catch(() => {
      // If cancelling fails, the sign-in expires on its own.
    })
  }
  return {
    state,
    ask: (question: () => Promise<KeyOutcome>) => {
      attempt.current += 1
      const asked = attempt.current
      setState(ASKING)
      question().then(
        (outcome) => {
          if (asked === attempt.current) setState((now) => answered(now, outcome))
          else if (outcome.ok && 'signIn' in outcome) end(outcome.signIn)
        },
        (error: unknown) => {
          if (asked === attempt.current) {
            setState({ kind: 'failed', code: 'unanswered', message: unanswered(error) })
          }
        },
      )
    },
    /** Cancels the sign-in through the browser, if there is one. */
    cancel: () => {
      attempt.current += 1
      if (state.kind === 'waiting') end(state.signIn)
      setState(IDLE)
    },
  }
}
