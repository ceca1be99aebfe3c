/** Header names in lower case. */
export type HttpHeaders = Readonly<Record<string, string>>

/**
 * What became of a request. The line between `not-sent` and `unknown` is whether bytes may have reached the
 * service: a refresh that was not sent cost nothing, one whose answer was lost may have rotated the token.
 */
export type HttpOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: HttpHeaders; readonly body: string }
  | { readonly kind: 'not-sent'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string }
