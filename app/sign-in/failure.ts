/** Ports that a default key's redirect may use, in the order of attempts. */
export const REDIRECT_PORTS = [31022, 8080, 3001, 3000] as const

/** How long a sign-in waits for the person in the browser. Milliseconds. */
export const SIGN_IN_LIMIT_MS = 5 * 60_000

/** Why a sign-in ended without tokens. */
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
  | { readonly kind: 'trade-withheld' }
  | { readonly kind: 'not-connected'; readonly why: string }

/** A failure for a person. The first sentence of `message` is the result, and the rest is the advice. */
export const failureText = (failure: SignInFailure) =>
  ({ code: failure.kind, message: messageOf(failure) }) as const

function messageOf(failure: SignInFailure): string {
  switch (failure.kind) {
    case 'ports-taken':
      return `Ports ${portText()} are in use. Close the program on one of them, then retry.`
    case 'no-loopback':
      return `Can't listen on this computer: ${failure.why}. Paste a refresh token instead.`
    case 'declined':
      return 'You declined in the browser. Nothing was saved.'
    case 'refused':
      return `The service rejected the sign-in: ${failure.error}. Check the API key and its permissions.`
    case 'expired':
      return 'The sign-in timed out after 5 minutes. Try again.'
    case 'cancelled':
      return 'Sign-in cancelled. Nothing was saved.'
    case 'code-refused':
      return 'The service rejected its own sign-in code. Start over in a single tab.'
    case 'misconfigured':
      return 'The service rejected this API key or secret. Check both; only a PKCE key has no secret.'
    case 'later':
      return `Sign-in failed: ${failure.why}. Try again in a moment.`
    case 'not-sent':
      return `Can't reach the sign-in host: ${failure.why}. ${CHECK_HOST}, then retry.`
    case 'answer-lost':
      return `The service's last response was lost: ${failure.why}. Sign in again.`
    case 'no-refresh-token':
      return 'The service sent no refresh token. Allow the scope offline_access for this key.'
    case 'trade-withheld':
      return 'The sign-in was approved without the Trade scope. Nothing was changed.'
    case 'not-connected':
      return `Signed in, but connecting failed: ${failure.why}`
  }
}

const CHECK_HOST = 'Check the network, VPN, proxy and host address'

export interface AwaitedHost {
  readonly host: string
  /** In plain words, such as `connection refused`. */
  readonly why: string
  /** Whether the host's page was opened earlier. */
  readonly isOpen: boolean
}

/** The text for a sign-in host that does not respond while a sign-in waits. */
export function awaitedHostText({ host, why, isOpen }: AwaitedHost) {
  const then = isOpen
    ? 'Retrying. Reload the sign-in page when this notice is gone.'
    : 'Retrying. This notice closes when the host responds.'
  return { title: `${host} is not responding: ${why}`, text: `${CHECK_HOST}. ${then}` }
}

function portText(): string {
  const last = REDIRECT_PORTS.at(-1)
  return `${REDIRECT_PORTS.slice(0, -1).join(', ')} and ${last}`
}
