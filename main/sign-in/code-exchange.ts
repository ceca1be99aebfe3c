import * as oauth from 'oauth4webapi'
import { fieldsOf, parseJson } from '../../app/service/json.ts'
import { redirectedTo, redirectText } from '../../app/service/sender.ts'
import type { SignInFailure } from '../../app/sign-in/failure.ts'
import { processRefreshAnswer } from '../../app/tokens/refresh-grant.ts'
import type { Http, HttpOutcome } from '../ports/ports.ts'

export interface SigningKey {
  readonly authUrl: string
  readonly clientId: string
  /** Absent for a PKCE key. */
  readonly clientSecret?: string
}

export interface CodeToExchange {
  /** The redirect's query, with its code and state. */
  readonly callback: URLSearchParams
  readonly state: string
  readonly redirectUri: string
  /**
   * Sent even for a key with a secret, because it binds the code to this sign-in (RFC 9700, section 2.1.1).
   */
  readonly verifier: string
}

export type CodeExchange =
  /**
   * The response's access token is left out, because the first refresh returns another access token.
   */
  | { readonly kind: 'granted'; readonly refreshToken: string; readonly scopes: readonly string[] }
  | Extract<
      SignInFailure,
      {
        readonly kind:
          | 'code-refused'
          | 'misconfigured'
          | 'refused'
          | 'later'
          | 'not-sent'
          | 'answer-lost'
          | 'no-refresh-token'
      }
    >

const EXCHANGE_TIMEOUT_MS = 20_000

/** Exchanges the code, once (service 10). */
export async function exchangeCode(http: Http, key: SigningKey, code: CodeToExchange): Promise<CodeExchange> {
  const url = `${key.authUrl}/oauth/token`
  const server: oauth.AuthorizationServer = { issuer: key.authUrl, token_endpoint: url }
  const client: oauth.Client = { client_id: key.clientId }
  const callback = new URLSearchParams(code.callback)
  // The library would compare `iss` with the issuer, whose exact spelling is unknown. The comparison is not
  // needed, because the state already binds the redirect to this host.
  callback.delete('iss')
  const line = watchedLine(http)
  try {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      key.clientSecret === undefined ? oauth.None() : oauth.ClientSecretPost(key.clientSecret),
      oauth.validateAuthResponse(server, client, callback, code.state),
      code.redirectUri,
      code.verifier,
      // The key's address was checked at entry: it uses https or is on this computer.
      { [oauth.customFetch]: line.fetch, [oauth.allowInsecureRequests]: true },
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response)
    if (tokens.refresh_token === undefined || tokens.refresh_token === '') return { kind: 'no-refresh-token' }
    return (
      granted(line.outcome(), url) ?? { kind: 'answer-lost', why: 'the response is not a token response' }
    )
  } catch (error) {
    return failureOf(error, line.outcome(), url)
  }
}

/** Our `Http` as the library's `fetch`. Records the outcome of its only request. */
function watchedLine(http: Http) {
  let outcome: HttpOutcome | undefined
  return {
    outcome: () => outcome,
    fetch: async (
      url: string,
      init: { readonly headers: Record<string, string>; readonly body: URLSearchParams },
    ): Promise<Response> => {
      outcome = await http.send({
        method: 'POST',
        url,
        headers: init.headers,
        body: init.body.toString(),
        timeoutMs: EXCHANGE_TIMEOUT_MS,
      })
      if (outcome.kind !== 'answer') throw new Error('incomplete response')
      return responseOf(outcome)
    },
  }
}

/**
 * The response without its `id_token`. Service 2.1 calls the `id_token` opaque, but the library throws if it
 * is not a JWT, and the code can't be exchanged again. The first refresh shows who signed in.
 */
function responseOf({ status, body }: Extract<HttpOutcome, { kind: 'answer' }>): Response {
  const fields = fieldsOf(parseJson(body))
  // `Response` throws for a status outside 200 to 599, and for a body with status 204, 205 or 304.
  if (status < 200 || status === 204 || status === 205 || status === 304 || status > 599)
    return new Response(null, { status: 502 })
  if (fields === undefined) return new Response(body, { status })
  const { id_token: _, ...rest } = fields
  return new Response(JSON.stringify(rest), { status, headers: { 'content-type': 'application/json' } })
}

function failureOf(error: unknown, outcome: HttpOutcome | undefined, url: string): CodeExchange {
  if (outcome === undefined) throw error
  if (outcome.kind === 'not-sent') return { kind: 'not-sent', why: outcome.why }
  if (outcome.kind === 'unknown') return { kind: 'answer-lost', why: outcome.why }
  // The code is used up, so a complete response is used even if the library rejects it.
  const whole = granted(outcome, url)
  if (whole !== undefined) return whole
  if (error instanceof oauth.ResponseBodyError) {
    switch (error.error) {
      case 'invalid_grant':
        return { kind: 'code-refused' }
      case 'invalid_client':
      case 'unauthorized_client':
      // The service returns this error if a key that has a secret signs in without the secret.
      case 'access_denied':
        return { kind: 'misconfigured' }
      case 'temporarily_unavailable':
        return { kind: 'later', why: 'the service is not available' }
      default:
        return { kind: 'refused', error: /^[\w.-]{1,60}$/.test(error.error) ? error.error : 'an error' }
    }
  }
  if (outcome.status >= 200 && outcome.status < 300) {
    return { kind: 'answer-lost', why: 'the response is not a token response' }
  }
  const to = redirectedTo(outcome.status, outcome.headers, url)
  const why = to === undefined ? `the sign-in host responded ${outcome.status}` : redirectText(to)
  return { kind: 'later', why }
}

/**
 * The tokens of a complete response. In an incomplete response, the token might be an error text, which must
 * not replace a valid token.
 */
function granted(outcome: HttpOutcome | undefined, url: string): CodeExchange | undefined {
  const whole = outcome && processRefreshAnswer(outcome, url)
  if (whole?.kind !== 'renewed' || whole.refreshToken === undefined) return undefined
  return { kind: 'granted', refreshToken: whole.refreshToken, scopes: whole.scopes }
}
