import type { SimulatorFlags } from '../options.ts'

/**
 * The token limits of one API key (service 3, 5 and 8.4).
 *
 * A sign-in is one person's consent. On a rotating key, each refresh replaces the sign-in's refresh token. On
 * a default key, the refresh token stays the same.
 */
export type TokenLimits = Pick<
  SimulatorFlags,
  | ('keys' | 'refreshExpirySeconds' | 'rotationOverlapSeconds' | 'absoluteLifetimeSeconds')
  | ('accessLifetimeSeconds' | 'reuseEndsSignIn')
>

export type TokenErrorCode = 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type'

export interface TokenRefusal {
  readonly kind: 'refused'
  readonly error: TokenErrorCode
  readonly description: string
}

export interface TokenGrant {
  readonly kind: 'granted'
  readonly accessToken: string
  readonly expiresInSeconds: number
  readonly scope: string
  readonly refreshToken?: string
}

export const refused = (error: TokenErrorCode, description: string): TokenRefusal => ({
  kind: 'refused',
  error,
  description,
})

/** One person's consent, shared by all refresh tokens that derive from it. */
export interface SignIn {
  readonly signedInAtMs: number
  readonly scope: string
  /** Whether the sign-in used PKCE. If so, refreshes need no client secret (service 4.1). */
  readonly pkce: boolean
  ended: boolean
}

interface RefreshToken {
  readonly signIn: SignIn
  readonly issuedAtMs: number
  replacedAtMs: number | undefined
  /** The newest token that replaced this one. */
  child: RefreshToken | undefined
}

const MAX_KEPT = 5000

export class TokenRules {
  readonly #limits: TokenLimits
  readonly #mint: () => string
  readonly #refresh = new Map<string, RefreshToken>()
  readonly #access = new Map<string, { readonly expiresAtMs: number; readonly scope: string }>()
  /** Refreshes that take effect later. Their responses never arrive. */
  #late: { readonly atMs: number; readonly token: string }[] = []

  constructor(limits: TokenLimits, mint: () => string) {
    this.#limits = limits
    this.#mint = mint
  }

  seed(token: string, scope: string, atMs: number): void {
    const signIn: SignIn = { signedInAtMs: atMs, scope, pkce: false, ended: false }
    this.#keep(token, { signIn, issuedAtMs: atMs, replacedAtMs: undefined, child: undefined })
  }

  /**
   * The grant for an authorization code. It has a refresh token only if the scope has offline_access (service
   * 5.4).
   */
  signIn(scope: string, pkce: boolean, atMs: number): TokenGrant {
    const signIn: SignIn = { signedInAtMs: atMs, scope, pkce, ended: false }
    const grant = this.#accessGrant(scope, atMs)
    if (!scope.split(' ').includes('offline_access')) return grant
    return { ...grant, refreshToken: this.#issue(signIn, undefined, atMs) }
  }

  refresh(token: string, atMs: number): TokenGrant | TokenRefusal {
    this.#settle(atMs)
    const held = this.#refresh.get(token)
    const problem = this.#problemWith(held, atMs)
    if (problem !== undefined || held === undefined) {
      if (held?.replacedAtMs !== undefined && this.#limits.reuseEndsSignIn) held.signIn.ended = true
      return refused('invalid_grant', problem ?? 'Unknown or invalid refresh token.')
    }
    const grant = this.#accessGrant(held.signIn.scope, atMs)
    if (this.#limits.keys !== 'rotating') return grant
    // If the program refreshes a token that was already replaced, it never received the newer token. The
    // newer token then counts as replaced too.
    const previous = held.child
    if (previous !== undefined) previous.replacedAtMs ??= atMs
    held.replacedAtMs ??= atMs
    return { ...grant, refreshToken: this.#issue(held.signIn, held, atMs) }
  }

  refreshLater(token: string, atMs: number): void {
    this.#late.push({ atMs, token })
  }

  /** Ends every refresh token of the key. Access tokens stay valid (service 3, 4.2). */
  revoke(token: string, atMs: number): 'revoked' | TokenRefusal {
    this.#settle(atMs)
    const problem = this.#problemWith(this.#refresh.get(token), atMs)
    if (problem !== undefined) return refused('invalid_grant', problem)
    this.endEverySignIn()
    return 'revoked'
  }

  endEverySignIn(): void {
    for (const held of this.#refresh.values()) held.signIn.ended = true
  }

  isPkce(token: string): boolean {
    return this.#refresh.get(token)?.signIn.pkce ?? false
  }

  /** The number of refresh tokens that would be accepted now. */
  livingAt(atMs: number): number {
    this.#settle(atMs)
    return [...this.#refresh.values()].filter((held) => this.#problemWith(held, atMs) === undefined).length
  }

  honours(token: string, atMs: number): boolean {
    this.#settle(atMs)
    return this.#problemWith(this.#refresh.get(token), atMs) === undefined
  }

  accessState(token: string, atMs: number): 'valid' | 'expired' | 'unknown' {
    const held = this.#access.get(token)
    if (held === undefined) return 'unknown'
    return atMs < held.expiresAtMs ? 'valid' : 'expired'
  }

  /** Whether an access token was granted `scope`, a single scope. */
  hasScope(token: string, scope: string): boolean {
    return this.#access.get(token)?.scope.split(' ').includes(scope) === true
  }

  expireAccess(atMs: number): void {
    for (const [token, held] of this.#access) {
      this.#access.set(token, { ...held, expiresAtMs: Math.min(held.expiresAtMs, atMs) })
    }
  }

  #problemWith(held: RefreshToken | undefined, atMs: number): string | undefined {
    if (held === undefined) return 'Unknown or invalid refresh token.'
    if (held.signIn.ended) return 'The refresh token was revoked.'
    const { keys, absoluteLifetimeSeconds, refreshExpirySeconds, rotationOverlapSeconds } = this.#limits
    if (keys !== 'rotating') return undefined
    if (atMs >= held.signIn.signedInAtMs + absoluteLifetimeSeconds * 1000) {
      return 'The absolute lifetime of the sign-in is over.'
    }
    if (atMs >= held.issuedAtMs + refreshExpirySeconds * 1000) return 'The refresh token has expired.'
    if (held.replacedAtMs === undefined) return undefined
    // A replaced token is accepted for a short overlap. The overlap ends early if the newer token is replaced
    // too.
    const justReplaced = held.child !== undefined && held.child.replacedAtMs === undefined
    const inOverlap = atMs < held.replacedAtMs + rotationOverlapSeconds * 1000
    return justReplaced && inOverlap ? undefined : 'The refresh token was already used.'
  }

  #accessGrant(scope: string, atMs: number): TokenGrant {
    const accessToken = this.#mint()
    const { accessLifetimeSeconds } = this.#limits
    this.#access.set(accessToken, { expiresAtMs: atMs + accessLifetimeSeconds * 1000, scope })
    dropOldest(this.#access, MAX_KEPT)
    return { kind: 'granted', accessToken, expiresInSeconds: Math.floor(accessLifetimeSeconds), scope }
  }

  #issue(signIn: SignIn, parent: RefreshToken | undefined, atMs: number): string {
    const token = this.#mint()
    const held: RefreshToken = { signIn, issuedAtMs: atMs, replacedAtMs: undefined, child: undefined }
    if (parent !== undefined) parent.child = held
    this.#keep(token, held)
    return token
  }

  #keep(token: string, held: RefreshToken): void {
    this.#refresh.set(token, held)
    dropOldest(this.#refresh, MAX_KEPT)
  }

  #settle(atMs: number): void {
    const due = this.#late.filter((late) => late.atMs <= atMs).sort((a, b) => a.atMs - b.atMs)
    this.#late = this.#late.filter((late) => late.atMs > atMs)
    for (const late of due) this.refresh(late.token, late.atMs)
  }
}

/** Drops the oldest entry if there are more than `most`. A Map iterates in the order of insertion. */
export function dropOldest<T>(kept: Map<string, T>, most: number): void {
  const [oldest] = kept.keys()
  if (kept.size > most && oldest !== undefined) kept.delete(oldest)
}
