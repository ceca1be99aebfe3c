/** The ports that a default key's redirect may use, in the order in which they are tried. */
export const REDIRECT_PORTS = [31022, 8080, 3001, 3000] as const

/** How long a sign-in waits for the person's answer in the browser. Milliseconds. */
export const SIGN_IN_LIMIT_MS = 5 * 60_000

/** Why a sign-in did not end with tokens. */
export type SignInFailure =
  | { readonly kind: 'ports-taken' }
  | { readonly kind: 'no-loopback'; readonly why: string }
  | { readonly kind: 'declined' }
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'expired' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'code-refused' }
  | { readonly kind: 'misconfigured' }
  | { readonly kind: 'later'; readonly why: string }
  | { readonly kind: 'not-sent'; readonly why: string }
  | { readonly kind: 'answer-lost'; readonly why: string }
  | { readonly kind: 'no-refresh-token' }
  | { readonly kind: 'not-connected'; readonly why: string }

export interface FailureText {
  readonly code: SignInFailure['kind']
  /** What happened, in its first sentence; then what that means and what a person can do. */
  readonly message: string
}

/** The text of a failure for a person: what happened, then what to do. */
export function failureText(failure: SignInFailure): FailureText {
  return { code: failure.kind, message: messageOf(failure) }
}

function messageOf(failure: SignInFailure): string {
  switch (failure.kind) {
    case 'ports-taken':
      return `Ports ${portText()} are taken. The key allows no other. Close what uses one of them, then try again.`
    case 'no-loopback':
      return `This computer's own address cannot be listened on: ${failure.why}. Paste a refresh token instead.`
    case 'declined':
      return 'You declined in the browser. Nothing was stored.'
    case 'refused':
      return `The service did not go on with the sign-in: ${failure.error}. Nothing was stored. Check the API key and what it may ask for.`
    case 'expired':
      return 'The sign-in took longer than 5 minutes. Nothing was stored.'
    case 'cancelled':
      return 'The sign-in was cancelled. Nothing was stored.'
    case 'code-refused':
      return 'The service did not accept the answer of its own sign-in page. Nothing was stored. Start over, in one tab.'
    case 'misconfigured':
      return 'The service does not accept this API key or secret. Nothing was stored. A PKCE key has no secret; every other key needs one.'
    case 'later':
      return `The sign-in could not be completed: ${failure.why}. Nothing was stored. Try again in a moment.`
    case 'not-sent':
      return `The sign-in host could not be reached: ${failure.why}. Nothing was stored. ${CHECK_HOST}, then sign in once more.`
    case 'answer-lost':
      return `The service's last answer was lost: ${failure.why}. Nothing was stored. Sign in once more.`
    case 'no-refresh-token':
      return 'The service gave no refresh token. Nothing was stored. The key must be allowed the scope offline_access.'
    case 'not-connected':
      return `Signed in, but the key could not be connected: ${failure.why}`
  }
}

const CHECK_HOST = 'Check the network, the VPN or proxy if you use one, and the address of the host'

/**
 * What is said of a sign-in host that does not answer while a sign-in waits for it. `why`: in plain words, as `connection
 * refused`; `isOpen`: whether its page was opened before.
 */
export function awaitedHostText({ host, why, isOpen }: AwaitedHost): {
  readonly title: string
  readonly text: string
} {
  const then = isOpen
    ? 'Headroom keeps looking. Reload the sign-in page once this notice is gone.'
    : 'Headroom keeps looking, and this notice goes when it answers.'
  return { title: `${host} does not answer: ${why}`, text: `${CHECK_HOST}. ${then}` }
}

interface AwaitedHost {
  readonly host: string
  readonly why: string
  readonly isOpen: boolean
}

function portText(): string {
  const last = REDIRECT_PORTS.at(-1)
  return `${REDIRECT_PORTS.slice(0, -1).join(', ')} and ${last}`
}
