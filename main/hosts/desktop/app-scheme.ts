import type { CustomScheme } from 'electron'
import { securityHeaders } from '../../network/security-headers.ts'
import type { RandomBytes } from '../../ports/ports.ts'
import { isWindowPage, PAGE_CONTENT_TYPE, type WindowFiles } from '../window-files.ts'

/** The address of the window. No site and no `file:` page shares its origin. */
export const APP_URL = 'app://headroom/'
const PROTOCOL = 'app:'
const HOST = 'headroom'

/**
 * Privileges of the scheme. The window needs no `fetch`, CORS, service workers or CSP bypasses, so they are
 * off.
 */
export const APP_SCHEME: CustomScheme = {
  scheme: 'app',
  privileges: { standard: true, secure: true },
}

/**
 * Whether a URL is within the app. Compares the URL's parts, because `URL.origin` is "null" for a custom
 * scheme.
 */
export function isAppUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host, username, password } = new URL(url)
  return protocol === PROTOCOL && host === HOST && username === '' && password === ''
}

/** Responds to the window's requests with the built files, and to all others with 404. */
export function appScheme(files: WindowFiles, randomBytes: RandomBytes): (request: Request) => Response {
  return ({ method, url }) => {
    if (method !== 'GET' || !isAppUrl(url)) return respond(404, 'text/plain', '')
    const { pathname } = new URL(url)
    if (isWindowPage(pathname)) {
      const { html, nonce } = files.page(randomBytes)
      return respond(200, PAGE_CONTENT_TYPE, html, nonce)
    }
    const file = files.find(pathname)
    return file === undefined
      ? respond(404, 'text/plain', '')
      : respond(200, file.contentType, new Uint8Array(file.bytes))
  }
}

function respond(
  status: number,
  contentType: string,
  body: string | Uint8Array<ArrayBuffer>,
  nonce?: string,
): Response {
  const policy = securityHeaders({ connectSrc: "'none'", ...(nonce !== undefined && { nonce }) })
  const headers = { ...policy, 'content-type': contentType, 'cache-control': 'no-store' }
  return new Response(body, { status, headers })
}
