/** Header names in lower case. */
export type HttpHeaders = Readonly<Record<string, string>>

/**
 * The outcome of a request. `not-sent`: no byte can have reached the service. `unknown`: the answer was lost, and the
 * service may have acted, as by rotating a token.
 */
export type HttpOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: HttpHeaders; readonly body: string }
  | { readonly kind: 'not-sent'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string }
