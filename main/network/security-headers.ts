/** What every response says about itself, in both hosts of the window. */

export interface PolicyInputs {
  /** The window in a browser talks to this server; the desktop's window to nobody. */
  readonly connectSrc: "'self'" | "'none'"
  /** For the style elements that libraries insert; only the page itself has one. */
  readonly nonce?: string
}

export function contentSecurityPolicy({ connectSrc, nonce }: PolicyInputs): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self'",
    `connect-src ${connectSrc}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

export function securityHeaders(inputs: PolicyInputs): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentSecurityPolicy(inputs),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'permissions-policy':
      'camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), serial=(), usb=()',
  }
}
