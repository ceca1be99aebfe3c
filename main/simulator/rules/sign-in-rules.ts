import { createHash } from 'node:crypto'
import { dropOldest, refused, type TokenRefusal } from './token-rules.ts'

/** A request of the authorization-code flow (service 10). */
export interface AuthorizeRequest {
  readonly redirectUri: string
  readonly scope: string
  readonly state: string | undefined
  readonly challenge: string | undefined
  /** Returned in the `id_token`, so that a client can match the token to a sign-in. */
  readonly nonce: string | undefined
}

export type AuthorizeOutcome =
  | { readonly kind: 'ask'; readonly request: AuthorizeRequest }
  /** An error shown to the person, because the redirect can't be trusted. */
  | { readonly kind: 'unsafe'; readonly description: string }
  /** An error returned to the program through its redirect. */
  | { readonly kind: 'redirect'; readonly location: string }

const ALLOWED_PORTS: readonly string[] = ['', '80', '3000', '3001', '8080', '31022']
const ALLOWED_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether a default key allows the redirect: only loopback, on a few ports. */
export function isAllowedRedirect(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const url = new URL(uri)
  return (
    url.protocol === 'http:' &&
    ALLOWED_HOSTS.includes(url.hostname) &&
    ALLOWED_PORTS.includes(url.port) &&
    url.username === '' &&
    url.password === '' &&
    url.hash === ''
  )
}

/** Validates the query of GET /authorize (service 10). */
export function readAuthorize(query: URLSearchParams, clientId: string): AuthorizeOutcome {
  const redirectUri = query.get('redirect_uri') ?? ''
  if (query.get('client_id') !== clientId)
    return { kind: 'unsafe', description: 'Unknown client: client_id.' }
  if (!isAllowedRedirect(redirectUri)) {
    return {
      kind: 'unsafe',
      description: 'Callback URL mismatch: this key does not allow this redirect_uri.',
    }
  }
  const state = query.get('state') ?? undefined
  const fail = (error: string, description: string): AuthorizeOutcome => ({
    kind: 'redirect',
    location: redirectTo(redirectUri, { error, error_description: description, state }),
  })
  if (query.get('response_type') !== 'code') {
    return fail('unsupported_response_type', 'response_type must be code.')
  }
  if (!query.get('audience')) return fail('invalid_request', 'audience is required.')
  const scope = [...new Set((query.get('scope') ?? '').split(' ').filter(Boolean))].join(' ')
  if (scope === '') return fail('invalid_scope', 'scope is required.')
  const challenge = query.get('code_challenge') ?? undefined
  if (challenge !== undefined && query.get('code_challenge_method') !== 'S256') {
    return fail('invalid_request', 'code_challenge_method must be S256.')
  }
  if (challenge !== undefined && !/^[\w-]{43}$/.test(challenge)) {
    return fail('invalid_request', 'code_challenge is not an S256 challenge.')
  }
  const nonce = query.get('nonce') ?? undefined
  return { kind: 'ask', request: { redirectUri, scope, state, challenge, nonce } }
}

/** A redirect address with additional query fields. `undefined` fields are left out. */
export function redirectTo(uri: string, fields: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url.href
}

const CODE_LIFETIME_MS = 600_000
const MAX_PENDING = 200

/**
 * The result of exchanging a code. Its values come from the authorization request for which the code was
 * issued.
 */
export interface ExchangedCode {
  readonly kind: 'exchanged'
  readonly scope: string
  readonly pkce: boolean
  readonly nonce: string | undefined
}

/**
 * Authorization requests that wait for the person, and codes that wait to be exchanged. Each can be used
 * once.
 */
export class SignInRules {
  readonly #mint: () => string
  readonly #asked = new Map<string, AuthorizeRequest>()
  readonly #codes = new Map<string, { readonly request: AuthorizeRequest; readonly issuedAtMs: number }>()

  constructor(mint: () => string) {
    this.#mint = mint
  }

  /** Stores a request. Returns the id for `answer`. */
  ask(request: AuthorizeRequest): string {
    const id = this.#mint()
    this.#asked.set(id, request)
    dropOldest(this.#asked, MAX_PENDING)
    return id
  }

  /** The redirect after the person's answer, or `undefined` if no request has this id. */
  answer(id: string, approved: boolean, atMs: number): string | undefined {
    const request = this.#asked.get(id)
    if (request === undefined) return undefined
    this.#asked.delete(id)
    const { redirectUri, state } = request
    if (!approved) {
      const declined = { error: 'access_denied', error_description: 'The person declined.', state }
      return redirectTo(redirectUri, declined)
    }
    const code = this.#mint()
    this.#codes.set(code, { request, issuedAtMs: atMs })
    dropOldest(this.#codes, MAX_PENDING)
    return redirectTo(redirectUri, { code, state })
  }

  /** Exchanges `code`. Whatever the result, the code can't be used again. */
  exchange(
    code: string,
    redirectUri: string,
    verifier: string | undefined,
    atMs: number,
  ): ExchangedCode | TokenRefusal {
    const held = this.#codes.get(code)
    this.#codes.delete(code)
    if (held === undefined || atMs >= held.issuedAtMs + CODE_LIFETIME_MS) {
      return refused('invalid_grant', 'Invalid authorization code.')
    }
    const { request } = held
    if (request.redirectUri !== redirectUri) return refused('invalid_grant', 'redirect_uri does not match.')
    if (request.challenge === undefined && verifier !== undefined) {
      return refused('invalid_grant', 'The sign-in had no code_challenge.')
    }
    if (request.challenge !== undefined) {
      if (verifier === undefined) return refused('invalid_grant', 'code_verifier is required.')
      if (challengeOf(verifier) !== request.challenge) {
        return refused('invalid_grant', 'Failed to verify code verifier.')
      }
    }
    return {
      kind: 'exchanged',
      scope: request.scope,
      pkce: request.challenge !== undefined,
      nonce: request.nonce,
    }
  }

  isPkce(code: string): boolean {
    return this.#codes.get(code)?.request.challenge !== undefined
  }
}

export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier, 'utf8').digest('base64url')
