import type { Outcome } from '../../app/contract/outcome.ts'
import type { SignInStatus, StartedSignIn } from '../../app/contract/sign-in.ts'

/** State of the dialog's attempt to get tokens. It contains no secret. */
export type SignInState =
  | { readonly kind: 'idle' }
  /**
   * Waiting for main's response, which contains the sign-in's id. `heard` has the statuses that arrived
   * before the response.
   */
  | { readonly kind: 'asking'; readonly heard: readonly SignInStatus[] }
  /** A revocation of this key is not confirmed. A person must decide whether to cancel it and sign in. */
  | { readonly kind: 'blocked'; readonly message: string }
  | {
      readonly kind: 'waiting'
      readonly signIn: string
      readonly url: string
      readonly opened: boolean
      readonly notice?: string
      /** Why the sign-in host does not respond. */
      readonly unreachable?: string
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'done'; readonly profile: string }

/** Success means that a sign-in through the browser has begun, or that a pasted token was accepted. */
export type KeyOutcome = Outcome<StartedSignIn | { readonly profile: string }>

export const IDLE: SignInState = { kind: 'idle' }
export const ASKING: SignInState = { kind: 'asking', heard: [] }

/** Applies main's response, and then the statuses that arrived before it. */
export function answered(state: SignInState, outcome: KeyOutcome): SignInState {
  if (state.kind !== 'asking') return state
  if (!outcome.ok) {
    return outcome.code === 'revoke-pending'
      ? { kind: 'blocked', message: outcome.message }
      : { kind: 'failed', code: outcome.code, message: outcome.message }
  }
  if (!('signIn' in outcome)) return { kind: 'done', profile: outcome.profile }
  const { signIn, url, opened, unreachable } = outcome
  const waiting = {
    kind: 'waiting',
    signIn,
    url,
    opened,
    ...(unreachable !== undefined && { unreachable }),
  } as const
  return state.heard.reduce<SignInState>(withStatus, waiting)
}

/** Applies a status. Statuses of other sign-ins, such as another window's, are ignored. */
export function withStatus(state: SignInState, status: SignInStatus): SignInState {
  if (state.kind === 'asking') return { ...state, heard: [...state.heard, status] }
  if (state.kind !== 'waiting' || state.signIn !== status.signIn) return state
  switch (status.state) {
    case 'waiting':
      return {
        kind: 'waiting',
        signIn: state.signIn,
        url: state.url,
        opened: status.opened,
        ...(status.notice !== undefined && { notice: status.notice }),
        ...(status.unreachable !== undefined && { unreachable: status.unreachable }),
      }
    case 'done':
      return { kind: 'done', profile: status.profile }
    case 'failed':
      // The sign-in failed. For example, it was cancelled here, or another window's sign-in replaced it.
      return { kind: 'failed', code: status.code, message: status.message }
  }
}

/** Splits main's message. The first sentence is the result, and the rest is the advice. */
export function firstSentence(message: string): { readonly title: string; readonly text: string } {
  const end = message.indexOf('. ')
  if (end < 0) return { title: message, text: '' }
  return { title: message.slice(0, end), text: message.slice(end + 2) }
}
