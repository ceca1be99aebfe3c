/** Inputs of the response headers for the window, in a browser or on the desktop. */
export interface PolicyInputs {
  /** The window in a browser connects to this server. The desktop window connects to no host. */
  readonly connectSrc: "'self'" | "'none'"
  /** Nonce of style elements that libraries insert. Only the page's own response has one. */
  readonly nonce?: string
}

/** The Content-Security-Policy. It allows only content of this origin, and style elements with the nonce. */
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

/** The headers of every response, with the Content-Security-Policy. */
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
