import { z } from 'zod/mini'
import { type HttpOutcome, observe } from '../service/headers.ts'
import { memberOf, parseJson } from '../service/json.ts'
import { isPage, redirectedTo, redirectText, SOMETHING_ELSE, senderOfAnswer } from '../service/sender.ts'
import { idTokenSubject } from './id-token.ts'

/** The API key as a token endpoint expects it. Its secret is sent in the body, never in a URL. */
export interface KeyCredentials {
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret?: string
}

/** A POST to a token endpoint, without its deadline. */
export interface FormRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The refresh request of a key (service 4.1). */
export function refreshRequest(key: KeyCredentials, refreshToken: string): FormRequest {
  const fields: [string, string][] = [
    ['grant_type', 'refresh_token'],
    ['client_id', key.clientId],
    ...(key.clientSecret === undefined ? [] : [['client_secret', key.clientSecret] as [string, string]]),
    ['refresh_token', refreshToken],
  ]
  return {
    url: `${key.authUrl}/oauth/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    // A string from JSON may contain an unpaired surrogate, which can't be encoded.
    body: fields.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&'),
  }
}

/**
 * The outcome of a refresh (service 4.1, 8.4). Only `refused`, a response with `invalid_grant`, ends a
 * session for good.
 */
export type RefreshOutcome =
  | {
      readonly kind: 'renewed'
      readonly accessToken: string
      readonly expiresInSeconds: number
      readonly scopes: readonly string[]
      /** Present on rotating keys only (service 2.1): replaces the refresh token that was sent. */
      readonly refreshToken?: string
      /** The signed-in user, if the ID token names one. */
      readonly subject?: string
    }
  | { readonly kind: 'refused'; readonly why: string }
  /** `isRequestError`: some part of the request was invalid, possibly the token. */
  | { readonly kind: 'misconfigured'; readonly why: string; readonly isRequestError?: true }
  | {
      readonly kind: 'later'
      readonly why: string
      readonly retryAfterSeconds?: number
      /** Whether the response is a 429. */
      readonly isThrottled?: true
      /** Whether an intermediary answered in place of the sign-in host. */
      readonly isFromIntermediary?: true
      /**
       * Whether the response has a 4xx status without an OAuth error code. Another candidate token may then
       * be valid.
       */
      readonly anotherTokenMayDo?: true
      /**
       * A string in an error response, in the place of a new refresh token. The service may have renewed the
       * token, so either this string or the token that was sent is valid.
       */
      readonly refreshToken?: string
    }
  | { readonly kind: 'not-sent'; readonly why: string }
  /**
   * The service renewed the tokens but returned an unusable access token. `refreshToken` is the new refresh
   * token.
   */
  | { readonly kind: 'malformed'; readonly why: string; readonly refreshToken?: string }
  | {
      readonly kind: 'unknown'
      readonly why: string
      /** Set if the response is neither a token response nor an HTML page. */
      readonly isMalformed?: true
    }

/** Whether the sign-in host itself answered, whatever the result. */
export function isFromService(outcome: RefreshOutcome): boolean {
  switch (outcome.kind) {
    case 'renewed':
    case 'refused':
    case 'misconfigured':
    case 'malformed':
      return true
    case 'later':
      return outcome.isFromIntermediary !== true
    case 'not-sent':
    case 'unknown':
      return false
  }
}

const LIFETIME_SECONDS = { default: 1200, least: 30, most: 86_400 }

const secret = z.string().check(z.minLength(1), z.maxLength(16_384))
/** The token is sent in a header, which allows only these characters (RFC 6750 2.1). */
const bearer = secret.check(z.regex(/^[\x21-\x7e]+$/))
const Renewal = z.object({
  access_token: bearer,
  /**
   * Other token types must not be used (RFC 6749 7.1). A response without a type counts as the documented
   * `Bearer`.
   */
  token_type: z.optional(z.nullable(z.string().check(z.regex(/^bearer$/i)))),
  expires_in: z.optional(z.unknown()),
  scope: z.optional(z.unknown()),
  refresh_token: z.optional(z.unknown()),
  id_token: z.optional(z.unknown()),
})

/**
 * Classifies the response to `refreshRequest`, sent to `url`. OAuth errors are recognised by `error`, not by
 * status (RFC 6749 5.2).
 */
export function processRefreshAnswer(outcome: HttpOutcome, url: string): RefreshOutcome {
  if (outcome.kind === 'not-sent') return { kind: 'not-sent', why: outcome.why }
  if (outcome.kind === 'unknown') return { kind: 'unknown', why: outcome.why }
  const { status, headers } = outcome
  const body = parseJson(outcome.body)
  const to = redirectedTo(status, headers, url)
  if (to !== undefined) return { kind: 'later', why: redirectText(to), isFromIntermediary: true }
  if (status === 429 || status >= 500) {
    const seconds = retryAfterSeconds(headers['retry-after'])
    // An intermediary may have failed after the service rotated the token.
    const refreshToken = status >= 500 ? refreshTokenOf(body) : undefined
    return {
      kind: 'later',
      why: `the sign-in host responded ${status}`,
      ...(seconds !== undefined && { retryAfterSeconds: seconds }),
      ...(status === 429 && { isThrottled: true }),
      ...(refreshToken !== undefined && { refreshToken }),
    }
  }
  if (status >= 200 && status < 300) {
    const sender = senderOfAnswer(observe(status, headers), url, outcome.body)
    return renewalOf(body, sender.kind === 'other')
  }
  const error = memberOf(body, 'error')
  switch (error) {
    case 'invalid_grant':
      return { kind: 'refused', why: 'the service rejected this refresh token' }
    case 'invalid_client':
    case 'unauthorized_client':
      return { kind: 'misconfigured', why: 'the service rejected this API key or secret' }
    case 'invalid_request':
      return { kind: 'misconfigured', why: `the sign-in host responded ${error}`, isRequestError: true }
    case 'unsupported_grant_type':
    case 'invalid_scope':
      return { kind: 'misconfigured', why: `the sign-in host responded ${error}` }
  }
  // Such a response usually comes from an intermediary, such as a captive portal or a proxy. It proves
  // nothing about the token.
  const why = `the sign-in host’s response (${status}) is not an OAuth response`
  const isRequestError = status >= 400 && status < 500 && !isPage(outcome.body)
  return { kind: 'later', why, ...(isRequestError && { anotherTokenMayDo: true }) }
}

/**
 * Classifies a response that may be a renewal. Only a usable access token makes the renewal complete. The new
 * refresh token then replaces the old one for good.
 */
function renewalOf(body: unknown, isOfSomethingElse: boolean): RefreshOutcome {
  const parsed = Renewal.safeParse(body)
  const refreshToken = refreshTokenOf(body)
  if (!parsed.success) {
    if (isMalformed(body, refreshToken)) {
      const why = 'the response has no usable access token'
      return { kind: 'malformed', why, ...(refreshToken !== undefined && { refreshToken }) }
    }
    return isOfSomethingElse
      ? { kind: 'unknown', why: SOMETHING_ELSE }
      : { kind: 'unknown', why: 'the response is not a token response', isMalformed: true }
  }
  const { access_token, expires_in, scope, id_token } = parsed.data
  const subject = idTokenSubject(id_token)
  return {
    kind: 'renewed',
    accessToken: access_token,
    expiresInSeconds: lifetimeOf(expires_in),
    scopes: typeof scope === 'string' ? scopesOf(scope) : [],
    ...(refreshToken !== undefined && { refreshToken }),
    ...(subject !== undefined && { subject }),
  }
}

const SCOPES = { max: 64, maxLength: 128 } as const

/** The scopes of a response. Every snapshot contains them, so their number and length are limited. */
const scopesOf = (text: string): readonly string[] =>
  text
    .slice(0, SCOPES.max * (SCOPES.maxLength + 1))
    .split(' ')
    .filter((scope) => scope !== '' && scope.length <= SCOPES.maxLength)
    .slice(0, SCOPES.max)

/**
 * Whether an unusable response is still a token response: it contains an access token, or a readable refresh
 * token.
 */
function isMalformed(body: unknown, refreshToken: string | undefined): boolean {
  if (refreshToken !== undefined) return true
  return memberOf(body, 'access_token') !== undefined && memberOf(body, 'refresh_token') === undefined
}

/**
 * The lifetime of a token in seconds. The documented lifetime replaces an invalid value, because 0 would
 * cause endless refreshes.
 */
function lifetimeOf(value: unknown): number {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds <= 0)
    return LIFETIME_SECONDS.default
  return Math.min(LIFETIME_SECONDS.most, Math.max(LIFETIME_SECONDS.least, seconds))
}

/** The refresh token in a response. A blank one counts as absent. */
function refreshTokenOf(body: unknown): string | undefined {
  const parsed = secret.safeParse(memberOf(body, 'refresh_token'))
  return parsed.success && parsed.data.trim() !== '' ? parsed.data : undefined
}

/**
 * The seconds of a Retry-After header (RFC 9110 10.2.3). `undefined` for a date, which this service never
 * sends.
 */
export function retryAfterSeconds(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,6}$/.test(header.trim())) return undefined
  return Number(header.trim())
}
