/** Inputs of the response headers for the window, in a browser or on the desktop. */
export interface PolicyInputs {
  /** The window in a browser connects to this server. The desktop window connects to no host. */
  readonly connectSrc: "'self'" | "'none'"
  /** Nonce of style elements that libraries insert. Only the page's own response has one. */
  readonly nonce?: string
}

/**
 * The headers of every response. The Content-Security-Policy allows only content of this origin, and style
 * elements with the nonce.
 */
export function securityHeaders({ connectSrc, nonce }: PolicyInputs): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self'",
    `connect-src ${connectSrc}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
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
