import type { CustomScheme } from 'electron'
import { securityHeaders } from '../../network/security-headers.ts'
import type { RandomBytes } from '../../ports/ports.ts'
import { isPage, PAGE_CONTENT_TYPE, type WindowFiles } from '../window-files.ts'

/** Where the window lives: an origin of its own, which no site has and no `file:` page shares. */
export const APP_URL = 'app://headroom/'
const PROTOCOL = 'app:'
const HOST = 'headroom'
const NONCE_BYTES = 16

/** `fetch`, CORS, service workers and CSP bypasses are left off: the window needs none of them. */
export const APP_SCHEME: CustomScheme = {
  scheme: 'app',
  privileges: { standard: true, secure: true },
}

/** By its parts: `URL.origin` is "null" for a scheme that only Electron knows. */
export function isAppUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host, username, password } = new URL(url)
  return protocol === PROTOCOL && host === HOST && username === '' && password === ''
}

/** Answers the window's own requests from the list of built files, and every other with 404. */
export function appScheme(files: WindowFiles, randomBytes: RandomBytes): (request: Request) => Response {
  return ({ method, url }) => {
    if (method !== 'GET' || !isAppUrl(url)) return respond(404, 'text/plain', '')
    const { pathname } = new URL(url)
    if (isPage(pathname)) {
      const nonce = Buffer.from(randomBytes(NONCE_BYTES)).toString('base64')
      return respond(200, PAGE_CONTENT_TYPE, files.page(nonce), nonce)
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
