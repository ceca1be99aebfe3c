import { createServer } from 'node:net'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startBrowserHost } from '../../../../main/hosts/browser/browser-host.ts'
import { claimPort } from '../../../../main/network/loopback-servers.ts'
import { proves } from '../../../proof/proves.ts'
import { rawExchange, requestText } from './raw-http.ts'
import { bearing, type StartedHost, startHost } from './started-host.ts'

let started: StartedHost
beforeEach(async () => {
  started = await startHost()
})
afterEach(() => started.stop())

describe('the ready line', () => {
  it('contains the address with a code in its fragment, which no request sends', () => {
    expect(started.ready).toHaveLength(1)
    expect(started.ready[0]).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${started.port}/#code=[\\w-]{43}$`))
  })

  it('is printed again, with another code, whenever its code was used', async () => {
    const first = started.code()
    await started.bearer()
    expect(started.ready).toHaveLength(2)
    expect(started.code()).not.toBe(first)
  })
})

describe('binding', () => {
  it('rejects a taken port', async () => {
    await expect(startHost(started.port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('counts a port as taken if only ::1 is taken, where another program could receive our visitors', async () => {
    const other = createServer()
    const hasIpv6 = await new Promise<boolean>((resolve) => {
      other.once('error', () => resolve(false)).listen({ port: 0, host: '::1' }, () => resolve(true))
    })
    if (!hasIpv6) return
    const { port } = other.address() as { port: number }
    await expect(startHost(port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
    other.close()
  })

  it('serves ::1 too, if the machine has it', async () => {
    const text = requestText({ headers: [['host', `[::1]:${started.port}`]] })
    const answer = await rawExchange(started.port, text, '::1').catch((error) => error.code)
    expect(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 200]).toContain(answer.status ?? answer)
  })

  it('responds to health checks, and returns 503 until it is ready', async () => {
    expect(await started.get('/healthz')).toMatchObject({ status: 200, body: 'ok\n' })
    const claimed = await claimPort(0)
    onTestFinished(() => claimed.close())
    const asked = requestText({ target: '/healthz', headers: [['host', `127.0.0.1:${claimed.port}`]] })
    expect((await rawExchange(claimed.port, asked)).status).toBe(503)
  })

  it('explains how to build the window if it is missing', async () => {
    const port = await claimPort(0)
    onTestFinished(() => port.close())
    const start = startBrowserHost({
      windows: started.windows,
      admitted: started.admitted,
      windowFolder: '/nonexistent/window',
      port,
      clock: started.clock,
      randomBytes: () => new Uint8Array(32),
      log: { note: () => {} },
      ready: () => {},
    })
    await expect(start).rejects.toThrow(/npm run build/)
  })
})

describe('connected windows', () => {
  it('are announced one by one, and listed for each of them', async () => {
    const first = await started.bearer()
    const second = await started.bearer()
    expect(started.admissions).toEqual(['window-1', 'window-2'])
    for (const bearer of [first, second]) await started.post('/api/command/snapshots', null, bearing(bearer))
    expect(started.admitted.list('window-2')).toMatchObject([
      { id: 'window-1', isOpen: true, isThis: false },
      { id: 'window-2', isOpen: true, isThis: true },
    ])
  })

  it('stay ended when another one ends them, with their push stream', async () => {
    const stranger = await started.bearer()
    await started.bearer()
    await started.post('/api/command/snapshots', null, bearing(stranger))
    expect(started.admitted.end('window-1', 'window-1')).toMatchObject({ ok: false, code: 'this-window' })
    expect(started.admitted.end('window-1', 'window-2')).toEqual({ ok: true })
    expect(started.windows.sessions[0]?.isOpen).toBe(false)
    expect((await started.post('/api/command/snapshots', null, bearing(stranger))).status).toBe(401)
    expect(started.admitted.list()).toMatchObject([{ id: 'window-2' }])
    expect(started.admitted.end('window-1')).toMatchObject({ ok: false, code: 'unknown-window' })
    proves('W4', { level: 2, cases: 1 })
  })

  it('send responses that no cache may store', async () => {
    const bearer = bearing(await started.bearer())
    const answers = [
      await started.post('/api/command/snapshots', null, bearer),
      await started.post('/api/command/nothing', null, bearer),
      await started.post('/api/command/snapshots', null, bearing('x'.repeat(43))),
      await started.post('/api/session', { code: started.code() }),
      await started.post('/api/session', { code: 'wrong' }),
      await started.get('/'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 200, 401, 200])
    for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-store')
    proves('W4', { level: 2, cases: answers.length })
  })
})

describe('a code', () => {
  it('is exchanged for a bearer once', async () => {
    const code = started.code()
    const first = await started.post('/api/session', { code })
    expect(first.status).toBe(200)
    expect(JSON.parse(first.body)).toEqual({ bearer: expect.stringMatching(/^[\w-]{43}$/) })
    expect((await started.post('/api/session', { code })).status).toBe(401)
  })

  it('admits several windows, one after the other', async () => {
    const bearers = [await started.bearer(), await started.bearer(), await started.bearer()]
    for (const bearer of bearers)
      expect((await started.post('/api/command/hello', null, bearing(bearer))).status).toBe(200)
  })

  it('that is wrong gets 429 after twenty in a minute, and a right one still connects', async () => {
    const wrong = async () => (await started.post('/api/session', { code: 'guess' })).status
    for (let i = 0; i < 20; i++) expect(await wrong()).toBe(401)
    expect(await wrong()).toBe(429)
    expect((await started.post('/api/session', { code: started.code() })).status).toBe(200)
    started.clock.advance(60_000)
    expect(await wrong()).toBe(401)
  })

  it('must be a string', async () => {
    for (const body of [null, {}, { code: 3 }, [], 'null', '"x"'])
      expect((await started.post('/api/session', body)).status).toBe(400)
  })

  it('of an earlier start is invalid after a restart, like its bearers', async () => {
    const code = started.code()
    const bearer = await started.bearer()
    await started.stop()
    started = await startHost()
    expect((await started.post('/api/session', { code })).status).toBe(401)
    expect((await started.post('/api/command/hello', null, bearing(bearer))).status).toBe(401)
  })
})

describe('a command', () => {
  it('returns its value', async () => {
    const answer = await started.post('/api/command/hello', null, bearing(await started.bearer()))
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toEqual({ value: { version: '0.0.0', host: 'browser' } })
  })

  it('without a result returns null', async () => {
    const body = { visible: false }
    const answer = await started.post('/api/command/setVisible', body, bearing(await started.bearer()))
    expect(answer.body).toBe('{"value":null}')
    expect(started.windows.calls).toEqual([['setVisible', body]])
  })

  it('without a valid bearer is rejected, whether it exists or not', async () => {
    const bearer = await started.bearer()
    const wrong = [[], bearing('x'.repeat(43)), bearing(`${bearer}x`), [['authorization', bearer] as const]]
    for (const name of ['revoke', 'nothing'])
      for (const headers of wrong)
        expect((await started.post(`/api/command/${name}`, { profile: 'p1' }, headers)).status).toBe(401)
    expect(started.windows.calls).toEqual([])
  })

  it('is reached by one spelling only, even if a router would decode others', async () => {
    const bearer = bearing(await started.bearer())
    const twisted = [
      '/%61pi/pushes',
      '/%61pi/session',
      '/%61pi/command/hello',
      '/api/%70ushes',
      '/api%2fpushes',
      '/api/command/%68ello',
      '//api/pushes',
      '/api//pushes',
      '/API/pushes',
      '/api;/pushes',
      '/api/pushes/',
      '/api/../api/pushes',
      '/./api/pushes',
    ]
    for (const target of twisted)
      for (const answer of [await started.get(target, bearer), await started.post(target, null, bearer)])
        expect([target, answer.status]).toEqual([target, 404])
    expect((await started.get('/%61pi/pushes')).status).toBe(404)
    expect(started.windows.sessions).toEqual([])
  })

  it('with its bearer in the URL, in a cookie or as another scheme is rejected', async () => {
    const bearer = await started.bearer()
    for (const name of ['bearer', 'access_token', 'token', 'authorization'])
      expect((await started.get(`/api/pushes?${name}=${bearer}`)).status).toBe(401)
    for (const [name, value] of [
      ['cookie', `bearer=${bearer}`],
      ['authorization', `Basic ${bearer}`],
      ['authorization', `bearer ${bearer}`],
      ['authorization', `Bearer  ${bearer}`],
      ['authorization', `Bearer ${bearer}, Bearer ${bearer}`],
      ['x-authorization', `Bearer ${bearer}`],
      ['proxy-authorization', `Bearer ${bearer}`],
    ] as const)
      expect([name, value.length, (await started.get('/api/pushes', [[name, value]])).status]).toEqual([
        name,
        value.length,
        401,
      ])
    expect(started.windows.sessions).toEqual([])
  })

  it('that is not in the contract is not found, even if every object inherits its name', async () => {
    const bearer = await started.bearer()
    for (const name of ['nothing', 'snapshotChanged', '__proto__', 'constructor', 'toString', 'hello/x'])
      expect((await started.post(`/api/command/${name}`, null, bearing(bearer))).status).toBe(404)
  })

  it('with a wrong argument names the field, and repeats nothing that was sent', async () => {
    const secret = 'SECRET-TOKEN-VALUE'
    const answer = await started.post(
      '/api/command/connect',
      { name: 'x', environment: secret, clientId: 'id', refreshToken: secret, [secret]: secret },
      bearing(await started.bearer()),
    )
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body)).toEqual({
      error: 'connect: environment must be one of live, sim, custom',
    })
    expect(started.windows.calls).toEqual([])
  })

  it('that fails reports it without its stack, which goes to the log', async () => {
    const query = { profile: 'p', category: 'c', fromMs: 0, toMs: 1, points: 2 }
    const answer = await started.post('/api/command/history', query, bearing(await started.bearer()))
    expect(answer.status).toBe(500)
    expect(answer.body).not.toContain('SECRET')
    expect(started.notes).toHaveLength(1)
  })

  it('is never accepted from a simple request of another site', async () => {
    const bearer = await started.bearer()
    const at = `127.0.0.1:${started.port}`
    const send = (headers: readonly (readonly [string, string])[]) =>
      rawExchange(
        started.port,
        requestText({ method: 'POST', target: '/api/command/revoke', headers, body: '{"profile":"p1"}' }),
      )
    const host = ['host', at] as const
    const own = ['origin', `http://${at}`] as const
    const auth = ['authorization', `Bearer ${bearer}`] as const
    const json = ['content-type', 'application/json'] as const
    expect((await send([host, json, auth])).status).toBe(403)
    expect((await send([host, ['origin', 'http://127.0.0.1:3000'], json, auth])).status).toBe(403)
    expect((await send([host, ['origin', 'null'], json, auth])).status).toBe(403)
    expect((await send([host, own, ['sec-fetch-site', 'same-site'], json, auth])).status).toBe(403)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/plain; application/json'])
      expect((await send([host, own, ['content-type', type], auth])).status).toBe(415)
    expect((await send([host, own, auth])).status).toBe(415)
    expect(started.windows.calls).toEqual([])
    expect((await send([host, own, json, auth])).status).toBe(200)
  })

  it('of more than 64 kB, or of broken JSON, is rejected with a fixed line', async () => {
    const bearer = bearing(await started.bearer())
    const big = await started.post('/api/command/hello', `"${'x'.repeat(64 * 1024)}"`, bearer)
    expect([big.status, JSON.parse(big.body)]).toEqual([413, { error: 'the request is larger than 64 kB' }])
    for (const text of ['{"profile":SECRET', '', '{"__proto__":{"x":1}}', 'SECRET']) {
      const broken = await started.post('/api/command/revoke', text, bearer)
      expect([broken.status, broken.body]).toEqual([400, '{"error":"the request is not valid JSON"}'])
    }
  })
})

describe('files', () => {
  it('are the page, with a new nonce each time', async () => {
    const [one, two] = [await started.get('/'), await started.get('/index.html?x=1')]
    const nonceOf = (body: string) => /content="([^"]+)"/.exec(body)?.[1] ?? ''
    expect(nonceOf(one.body)).toMatch(/^[\w+/]{22}==$/)
    expect(nonceOf(one.body)).not.toBe(nonceOf(two.body))
    expect(one.headers.get('content-security-policy')).toContain(
      `style-src 'self' 'nonce-${nonceOf(one.body)}'`,
    )
    expect(one.headers.get('cache-control')).toBe('no-store')
    expect(one.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  it('with a hash are cached, and others revalidated', async () => {
    const script = await started.get('/assets/index-Ab12Cd34.js')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await started.get('/favicon.svg')).headers.get('cache-control')).toBe('no-cache')
  })

  it('respond to HEAD like GET, without the body', async () => {
    const headers = [['host', `127.0.0.1:${started.port}`]] as const
    const head = await rawExchange(started.port, requestText({ method: 'HEAD', headers }))
    expect([head.status, head.body]).toEqual([200, ''])
    expect(head.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  it('are only those of the list: no path leads outside', async () => {
    const paths = [
      '/../secret.txt',
      '/assets/../../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/assets%2findex-Ab12Cd34.js',
      '/..\\secret.txt',
      '//secret.txt',
      '/linked.txt',
      '/assets',
      '/assets/',
      '/assets/index-Ab12Cd34.js.map',
      '/INDEX.HTML',
      '/%00',
      '/%zz',
      '/constructor',
    ]
    for (const path of paths) {
      const answer = await started.get(path)
      expect([path, [400, 404].includes(answer.status)]).toEqual([path, true])
      expect(answer.body).not.toContain('OUTSIDE')
    }
  })
})

describe('every response', () => {
  it('has the security headers, no cookie and no CORS header', async () => {
    const at = `127.0.0.1:${started.port}`
    const bearer = bearing(await started.bearer())
    const answers = [
      await started.get('/'),
      await started.get('/nothing'),
      await started.get('/%zz'),
      await started.get('/assets/index-Ab12Cd34.js'),
      await started.get('/api/pushes'),
      await started.post('/api/command/hello', null, bearer),
      await started.post('/api/command/hello', '{', bearer),
      await started.get('/', [['origin', 'http://evil.test']]),
      await rawExchange(started.port, requestText({ headers: [['host', 'evil.test']] })),
      await rawExchange(started.port, requestText({ method: 'OPTIONS', headers: [['host', at]] })),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 200, 401, 200, 400, 403, 421, 405])
    for (const { headers } of answers) {
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp')
      expect(headers.has('server')).toBe(false)
      expect(headers.has('x-powered-by')).toBe(false)
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.has('permissions-policy')).toBe(true)
      expect(headers.has('set-cookie')).toBe(false)
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })

  it('to a request rejected by the gate has no body', async () => {
    for (const host of ['evil.test', `evil.test:${started.port}`, `localhost:${started.port}.`])
      expect(await rawExchange(started.port, requestText({ headers: [['host', host]] }))).toMatchObject({
        status: 421,
        body: '',
      })
  })

  it('to an unusual Host over a real socket is a rejection', async () => {
    const token = fc.stringMatching(/^[\x21-\x7e]{0,30}$/)
    await fc.assert(
      fc.asyncProperty(token, async (host) => {
        const { status } = await rawExchange(started.port, requestText({ headers: [['host', host]] }))
        expect([400, 421]).toContain(status)
      }),
      { numRuns: 60 },
    )
  })
})
