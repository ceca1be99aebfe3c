import { createPublicKey, generateKeyPair, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'

/** The claims of an `id_token` that an OpenID Connect client checks (OpenID Connect Core 1.0, section 2). */
export interface IdTokenClaims {
  readonly clientId: string
  readonly nonce?: string
  /** Epoch milliseconds. */
  readonly issuedAtMs: number
  readonly lifetimeSeconds: number
}

/** Signs `id_token`s and publishes the key with which they can be checked. */
export interface IdTokenIssuer {
  /** `{auth_url}`. A client compares it with its configured address. */
  issuer(): string
  sign(claims: IdTokenClaims): string
  /** The JSON Web Key Set (RFC 7517, section 5). */
  keySet(): { readonly keys: readonly JsonWebKey[] }
}

const SUBJECT = 'simulated-user'
const KEY_ID = 'simulator'
const RSA_BITS = 2048

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Creates an issuer with a new RS256 key (RFC 7518, section 3.3), generated off the main thread.
 *
 * `issuerOf` is called at each use, because a server does not know its port before it listens. The key is not
 * stored, because its tokens don't need to outlive the process.
 */
export async function createIdTokenIssuer(issuerOf: () => string): Promise<IdTokenIssuer> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: RSA_BITS })
  const publicKey = createPublicKey(privateKey).export({ format: 'jwk' })
  return {
    issuer: issuerOf,
    sign: (claims) => signedWith(privateKey, issuerOf(), claims),
    keySet: () => ({ keys: [{ ...publicKey, kid: KEY_ID, use: 'sig', alg: 'RS256' }] }),
  }
}

/** A signed JSON Web Token in compact form (RFC 7515, section 7.1). */
function signedWith(key: KeyObject, issuer: string, claims: IdTokenClaims): string {
  const issuedAt = Math.floor(claims.issuedAtMs / 1000)
  const payload = {
    iss: issuer,
    sub: SUBJECT,
    aud: claims.clientId,
    iat: issuedAt,
    exp: issuedAt + claims.lifetimeSeconds,
    ...(claims.nonce === undefined ? {} : { nonce: claims.nonce }),
  }
  const signed = `${base64url({ alg: 'RS256', typ: 'JWT', kid: KEY_ID })}.${base64url(payload)}`
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`
}

/** The discovery document (OpenID Connect Discovery 1.0, section 3; RFC 8414). */
export const discoveryDocument = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
  revocation_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
  code_challenge_methods_supported: ['S256'],
  scopes_supported: [
    'openid',
    'offline_access',
    'MarketData',
    'ReadAccount',
    'Matrix',
    'OptionSpreads',
    'Trade',
  ],
})
