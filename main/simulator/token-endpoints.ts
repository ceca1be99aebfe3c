import { fieldsOf, jsonOf } from '../../app/service/json.ts'
import type { SimulatorFlags } from './options.ts'
import type { Faults } from './rules/faults.ts'
import type { SignInRules } from './rules/sign-in-rules.ts'
import { refused, type TokenGrant, type TokenRefusal, type TokenRules } from './rules/token-rules.ts'
import type { ServicePorts } from './simulated-service.ts'
import { type Answer, htmlAnswer, jsonAnswer, type ServiceReply, type ServiceRequest } from './wire.ts'

export interface TokenEndpointRules
  extends Pick<SimulatorFlags, 'clientId' | 'clientSecret' | 'revokeField'>,
    Pick<ServicePorts, 'idTokens'> {
  readonly tokens: TokenRules
  readonly signIns: SignInRules
  readonly faults: Faults
  readonly mint: () => string
}

const LATE_COMMIT_MS = 3000
const FORM = 'application/x-www-form-urlencoded'
const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

/** Answers POST /oauth/token (service 4.1, 10). */
export function answerToken(rules: TokenEndpointRules, request: ServiceRequest, atMs: number): ServiceReply {
  const form = readForm(request)
  if (!(form instanceof URLSearchParams)) return refusal(form)
  switch (form.get('grant_type')) {
    case 'refresh_token':
      return answerRefresh(rules, form, atMs)
    case 'authorization_code':
      return answerCode(rules, form, atMs)
    case null:
      return refusal(missing('grant_type'))
    default:
      return refusal(refused('unsupported_grant_type', 'Unsupported grant type.'))
  }
}

function answerRefresh(rules: TokenEndpointRules, form: URLSearchParams, atMs: number): ServiceReply {
  const { faults, tokens } = rules
  // These faults are in the network, so the service never receives the request.
  if (faults.strike('refresh-reset')) return { kind: 'reset' }
  if (faults.strike('html-refresh-response')) return htmlAnswer(200, PORTAL)
  if (faults.strike('refresh-503'))
    return { ...UNAVAILABLE, headers: { ...UNAVAILABLE.headers, 'Retry-After': '2' } }

  const token = form.get('refresh_token') ?? ''
  const isPkce = tokens.isPkce(token)
  const stranger = clientProblem(rules, form.get('client_id'), form.get('client_secret'), isPkce)
  if (stranger !== undefined) return refusal(stranger)
  if (token === '') return refusal(missing('refresh_token'))
  if (faults.strike('late-commit')) {
    tokens.refreshLater(token, atMs + LATE_COMMIT_MS)
    return { kind: 'reset' }
  }
  const outcome = tokens.refresh(token, atMs)
  if (outcome.kind === 'refused') return refusal(outcome)
  if (faults.strike('lost-refresh-response')) return { kind: 'reset' }
  const scope = faults.strike('short-scope') ? 'openid offline_access' : outcome.scope
  const answer = granted(rules, { ...outcome, scope }, atMs)
  return faults.strike('cut-refresh-response')
    ? { kind: 'cut', answer, sentBytes: Math.floor(answer.body.length / 2) }
    : answer
}

function answerCode(rules: TokenEndpointRules, form: URLSearchParams, atMs: number): ServiceReply {
  const code = form.get('code') ?? ''
  const redirectUri = form.get('redirect_uri') ?? ''
  const verifier = form.get('code_verifier') ?? undefined
  const pkce = rules.signIns.isPkce(code) && verifier !== undefined
  const stranger = clientProblem(rules, form.get('client_id'), form.get('client_secret'), pkce)
  if (stranger !== undefined) return refusal(stranger)
  if (code === '') return refusal(missing('code'))
  if (redirectUri === '') return refusal(missing('redirect_uri'))
  if (rules.clientSecret === undefined && verifier === undefined) return refusal(missing('code_verifier'))
  const outcome = rules.signIns.exchange(code, redirectUri, verifier, atMs)
  if (outcome.kind === 'refused') return refusal(outcome)
  const asked = outcome.scope.split(' ')
  const withheld = asked.includes('Trade') && rules.faults.strike('trade-withheld')
  const scope = asked.filter((one) => !(withheld && one === 'Trade')).join(' ')
  const grant = rules.tokens.signIn(scope, outcome.pkce, atMs)
  return granted(rules, grant, atMs, outcome.nonce)
}

/**
 * Answers POST /oauth/revoke (service 4.2). The request is JSON, as in the service's example, or a form (RFC
 * 7009, section 2.1).
 *
 * A form follows the RFC's rules: an unknown token counts as revoked (RFC 7009, section 2.2).
 */
export function answerRevoke(rules: TokenEndpointRules, request: ServiceRequest, atMs: number): ServiceReply {
  const asked = readRevocation(request)
  if (asked.kind === 'refused') return refusal(asked)
  const { body, isForm } = asked
  if (rules.faults.strike('revoke-503')) return UNAVAILABLE
  const fields = isForm
    ? ['token']
    : rules.revokeField === 'either'
      ? ['token', 'refresh_token']
      : [rules.revokeField]
  const allowed = ['client_id', 'client_secret', ...fields, ...(isForm ? ['token_type_hint'] : [])]
  const unknown = Object.keys(body).find((name) => !allowed.includes(name))
  if (unknown !== undefined && rules.faults.strike('strict-revoke')) {
    return refusal(refused('invalid_request', `Unknown field: ${unknown.slice(0, 40)}`))
  }
  const token = fields.map((name) => textIn(body, name)).find((value) => value !== null) ?? null
  const pkce = token !== null && rules.tokens.isPkce(token)
  const stranger = clientProblem(rules, textIn(body, 'client_id'), textIn(body, 'client_secret'), pkce)
  if (stranger !== undefined) return refusal(stranger)
  if (token === null)
    return refusal(refused('invalid_request', `Missing required field: ${fields.join(' or ')}`))
  const outcome = rules.tokens.revoke(token, atMs)
  if (outcome !== 'revoked' && !(isForm && outcome.error === 'invalid_grant')) return refusal(outcome)
  if (rules.faults.strike('lost-revoke-response')) return { kind: 'reset' }
  return { kind: 'answer', status: 200, headers: {}, body: '' }
}

function clientProblem(
  rules: TokenEndpointRules,
  clientId: string | null,
  clientSecret: string | null,
  secretOptional: boolean,
): TokenRefusal | undefined {
  if (!clientId) return missing('client_id')
  if (clientId !== rules.clientId) return refused('invalid_client', 'Unknown client.')
  if (rules.clientSecret === undefined) return undefined
  if (clientSecret === null && secretOptional) return undefined
  return clientSecret === rules.clientSecret ? undefined : refused('invalid_client', 'Unauthorized.')
}

/** Reads a form. JSON is rejected, as on the real service. */
function readForm(request: ServiceRequest): URLSearchParams | TokenRefusal {
  if (mediaType(request) !== FORM) {
    return refused('invalid_request', 'Content-Type must be application/x-www-form-urlencoded.')
  }
  const form = new URLSearchParams(request.body)
  const repeated = [...form.keys()].find((name) => form.getAll(name).length > 1)
  if (repeated === undefined) return form
  return refused('invalid_request', `Repeated parameter: ${repeated.slice(0, 40)}`)
}

interface RevocationBody {
  readonly kind: 'body'
  readonly body: Readonly<Record<string, unknown>>
  readonly isForm: boolean
}

function readRevocation(request: ServiceRequest): RevocationBody | TokenRefusal {
  if (mediaType(request) === FORM) {
    const form = readForm(request)
    return form instanceof URLSearchParams
      ? { kind: 'body', body: Object.fromEntries(form), isForm: true }
      : form
  }
  const body = mediaType(request) === 'application/json' ? fieldsOf(jsonOf(request.body)) : undefined
  return body === undefined
    ? refused('invalid_request', 'The body must be a JSON object or a form.')
    : { kind: 'body', body, isForm: false }
}

const mediaType = (request: ServiceRequest): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

function textIn(body: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = body[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/** A token response (service 2.1). `nonce` comes from the sign-in that this response completes. */
function granted(rules: TokenEndpointRules, grant: TokenGrant, atMs: number, nonce?: string): Answer {
  return jsonAnswer(
    200,
    {
      access_token: grant.accessToken,
      expires_in: grant.expiresInSeconds,
      scope: grant.scope,
      id_token: idToken(rules, grant, atMs, nonce),
      token_type: 'Bearer',
      ...(grant.refreshToken === undefined ? {} : { refresh_token: grant.refreshToken }),
    },
    NO_STORE,
  )
}

function idToken(rules: TokenEndpointRules, grant: TokenGrant, atMs: number, nonce?: string): string {
  if (rules.idTokens === undefined) return `sim-id.${rules.mint()}`
  return rules.idTokens.sign({
    clientId: rules.clientId,
    issuedAtMs: atMs,
    lifetimeSeconds: grant.expiresInSeconds,
    ...(nonce === undefined ? {} : { nonce }),
  })
}

const STATUS = {
  invalid_request: 400,
  unsupported_grant_type: 400,
  invalid_client: 401,
  invalid_grant: 403,
} as const

const missing = (parameter: string): TokenRefusal =>
  refused('invalid_request', `Missing required parameter: ${parameter}`)

const refusal = ({ error, description }: TokenRefusal): Answer =>
  jsonAnswer(STATUS[error], { error, error_description: description }, NO_STORE)

const UNAVAILABLE = htmlAnswer(503, '<!doctype html><title>503</title><h1>Service Unavailable</h1>')
const PORTAL =
  '<!doctype html><title>Welcome</title><h1>Network sign-in</h1><p>Accept the terms to go online.</p>'
