import { describe, expect, it } from 'vitest'
import { APP_SCHEME, appScheme } from '../../../../main/hosts/desktop/app-scheme.ts'

const NONCE = 'BwcHBwcHBwcHBwcHBwcHBw=='
const files = {
  find: (path: string) =>
    path === '/assets/a.js'
      ? { bytes: Buffer.from('1'), contentType: 'text/javascript; charset=utf-8', cacheControl: 'x' }
      : undefined,
  page: () => ({ html: `<meta content="${NONCE}">`, nonce: NONCE }),
}
const answer = (url: string, method = 'GET') =>
  appScheme(files, (size) => new Uint8Array(size).fill(7))(new Request(url, { method }))

describe('app://headroom/', () => {
  it('serves its page under a policy with no network and a nonce', async () => {
    const page = answer('app://headroom/')
    expect(page.status).toBe(200)
    expect(await page.text()).toBe(`<meta content="${NONCE}">`)
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("connect-src 'none'")
    expect(policy).toContain(`'nonce-${NONCE}'`)
    expect(policy).not.toContain('unsafe')
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('serves a built file with its type', async () => {
    const file = answer('app://headroom/assets/a.js?x')
    expect([file.status, await file.text()]).toEqual([200, '1'])
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  })

  it('has its own origin and none of the privileges that a page of a site lacks', () => {
    expect(APP_SCHEME).toEqual({ scheme: 'app', privileges: { standard: true, secure: true } })
  })

  it('serves no other file, host or method', () => {
    for (const url of [
      'app://headroom/../assets/b.js',
      'app://headroom/assets%2fa.js',
      'app://headroom/%2e%2e/etc/passwd',
      'app://other/assets/a.js',
      'app://headroom.evil.test/',
      'https://headroom/',
    ])
      expect([url, answer(url).status]).toEqual([url, 404])
    expect(answer('app://headroom/', 'POST').status).toBe(404)
  })
})
