import { type RawAnswer, rawExchange, requestText } from '../main/hosts/browser/raw-http.ts'
import { provesInBrowser } from '../proof/proves-in-browser.ts'
import { appState, COMMANDS } from './hostile/app-state.ts'
import { expect, hostilePage, test, through } from './hostile/fixtures.ts'
import { WAYS_TO_GET, WAYS_TO_POST } from './hostile/ways.ts'

/**
 * PROMISES W4, for requests that are not made by a page: names that resolve to this machine, and requests
 * that no browser sends.
 */

test('a name rebound to this machine reads and does nothing, even on our port', async ({
  page,
  headroom,
  admitted,
  before,
  hostile,
}) => {
  const { port } = new URL(headroom.origin)
  const theirs = await hostilePage(page, hostile.page('evil.test'))
  const of = (path: string, body = '') => ({
    url: `http://evil.test:${port}${path}`,
    bearer: admitted.bearer,
    body,
  })
  const tries = [
    ...WAYS_TO_GET.map((way) => ({ way, target: of('/api/pushes') })),
    ...WAYS_TO_POST.map((way) => ({
      way,
      target: of('/api/command/revoke', JSON.stringify(COMMANDS['revoke'])),
    })),
  ]
  expect(await through(theirs.page, tries)).toEqual([])
  expect(new Set(theirs.answered().map(({ status }) => status))).toEqual(new Set([421]))

  // Our port under that name, as if the attacker's server had just used the port. For the browser, both are
  // one origin.
  const answer = theirs.page.waitForResponse(of('/').url)
  // Chromium shows an error page of its own for an answer without a body.
  await theirs.page.goto(of('/').url).catch(() => {})
  expect((await answer).status()).toBe(421)
  expect(await appState(admitted)).toEqual(before)
  expect(headroom.ready).toHaveLength(3)
  provesInBrowser('W4', tries.length + 1)
})

test('no path, method or header that a program can send reaches more than the page', async ({
  headroom,
  admitted,
  before,
}) => {
  const port = Number(new URL(headroom.origin).port)
  const host = ['host', `127.0.0.1:${port}`] as const
  const own = ['origin', headroom.origin] as const
  const send = (method: string, target: string, headers: readonly (readonly [string, string])[], body = '') =>
    rawExchange(port, requestText({ method, target, headers, body }))
  const isSealed = ({ headers, body }: RawAnswer) =>
    !/"dependencies"|root:|SQLite|import /.test(body) &&
    headers.get('x-content-type-options') === 'nosniff' &&
    headers.get('x-frame-options') === 'DENY' &&
    headers.get('referrer-policy') === 'no-referrer' &&
    headers.get('cross-origin-opener-policy') === 'same-origin' &&
    headers.get('cross-origin-embedder-policy') === 'require-corp' &&
    headers.get('cross-origin-resource-policy') === 'same-origin' &&
    /^default-src 'none'; .*frame-ancestors 'none'$/.test(headers.get('content-security-policy') ?? '') &&
    ![...headers.keys()].some((name) => /^(?:server|x-powered-by|set-cookie|access-control-.*)$/.test(name))

  const upwards = [
    '..',
    '%2e%2e',
    '..%2f..',
    '%2e%2e%2f',
    '..\\..',
    '....//',
    '%c0%ae%c0%ae',
    '..;',
    '%252e%252e',
  ]
  const files = ['package.json', 'etc/passwd', 'dist/hosts/headroom.js', 'main/launch.js', 'vault.db']
  const paths = [
    ...upwards.flatMap((up) => files.flatMap((file) => [`/${up}/${file}`, `/assets/${up}/${up}/${file}`])),
    ...[
      '/.env',
      '/.git/config',
      '/assets',
      '/assets/',
      '/index.html/',
      '/%00',
      '/a%0d%0aset-cookie:%20a=b',
      '//evil.test/',
    ],
    ...[
      '/api',
      '/api/',
      '/api/session',
      '/api/command',
      '/api/command/',
      '/API/SESSION',
      '/__proto__',
      '/constructor',
    ],
  ]
  const wrong: string[] = []
  for (const path of paths) {
    const answer = await send('GET', path, [host])
    if (![400, 401, 404].includes(answer.status) || !isSealed(answer)) wrong.push(`${path}: ${answer.status}`)
  }
  const methods = ['OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PATCH', 'CONNECT', 'PROPFIND', 'PURGE', 'QUERY']
  for (const method of methods) {
    const preflight = [
      host,
      own,
      ['access-control-request-method', 'POST'],
      ['authorization', `Bearer ${admitted.bearer}`],
    ] as const
    for (const target of ['/', '/api/session', '/api/command/revoke']) {
      const answer = await send(method, target, preflight)
      // CONNECT is not answered at all.
      const isRight = answer.status === 405 || (method === 'CONNECT' && Number.isNaN(answer.status))
      if (!isRight || answer.body !== '') wrong.push(`${method} ${target}: ${answer.status}`)
    }
  }
  const authorised = ['authorization', `Bearer ${admitted.bearer}`] as const
  const json = ['content-type', 'application/json'] as const
  const revoke = JSON.stringify(COMMANDS['revoke'])
  const forged = [
    [[host, authorised, json], 403],
    [[host, ['origin', 'null'], authorised, json], 403],
    [[host, ['origin', 'http://127.0.0.1:1'], authorised, json], 403],
    [[host, ['origin', headroom.origin.replace('127.0.0.1', 'localhost')], authorised, json], 403],
    [[host, own, own, authorised, json], 403],
    [[host, own, ['sec-fetch-site', 'same-site'], authorised, json], 403],
    [[host, own, json, ['cookie', `headroom.bearer=${admitted.bearer}`]], 401],
    [[host, own, json, ['x-forwarded-host', 'evil.test']], 401],
    [[host, own, authorised, ['content-type', 'text/plain']], 415],
    [[host, own, authorised, ['content-type', 'application/x-www-form-urlencoded']], 415],
    [[['host', 'evil.test'], ['x-forwarded-host', `127.0.0.1:${port}`], own, authorised, json], 421],
    [[host, host, own, authorised, json], 421],
  ] as const
  for (const [headers, status] of forged) {
    const answer = await send('POST', '/api/command/revoke', headers, revoke)
    if (answer.status !== status || !isSealed(answer))
      wrong.push(`${JSON.stringify(headers.map(([name]) => name))}: ${answer.status}`)
  }
  const asked = [
    await send('GET', `/api/pushes?bearer=${admitted.bearer}`, [host]),
    await send('HEAD', '/api/pushes', [host]),
  ]
  for (const answer of asked)
    if (answer.status !== 401 || answer.headers.get('cache-control') !== 'no-store') wrong.push('cached')

  expect(wrong).toEqual([])
  expect(await appState(admitted)).toEqual(before)
  provesInBrowser('W4', paths.length + 3 * methods.length + forged.length + asked.length)
})

test('script injected into our page could neither run, load nor send', async ({
  page,
  admitted,
  before,
  problems,
  hostile,
}) => {
  problems.allow(/Content Security Policy|CSP violation|Failed to load|net::ERR|Failed to fetch|violates the/)
  const blocked = await page.evaluate(async (theirs) => {
    const seen: string[] = []
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
      seen.push(effectiveDirective),
    )
    const put = (tag: string, more: object) =>
      document.body.append(Object.assign(document.createElement(tag), more))
    put('script', { textContent: 'globalThis.ran = true' })
    put('script', { src: `${theirs}x.js` })
    put('img', { src: `${theirs}x.png` })
    put('iframe', { src: theirs })
    put('iframe', { srcdoc: '<script>parent.ran = true</script>' })
    put('object', { data: theirs })
    put('link', { rel: 'stylesheet', href: `${theirs}x.css` })
    put('style', { textContent: 'body { display: none }' })
    put('div', {
      innerHTML: '<img src="x:" onerror="globalThis.ran = true"><a href="javascript:ran=true" id="a">a</a>',
    })
    document.getElementById('a')?.click()
    await fetch(theirs, { mode: 'no-cors' }).catch(() => {})
    navigator.sendBeacon(theirs, 'x')
    try {
      new WebSocket(theirs.replace('http', 'ws'))
    } catch {}
    try {
      new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])))
    } catch {}
    const form = Object.assign(document.createElement('form'), { action: theirs, method: 'POST' })
    document.body.append(form)
    form.submit()
    setTimeout('globalThis.ran = true')
    // The violation by the form is reported last, and late on a busy machine. If it is missing, the
    // comparison below fails.
    for (let tries = 0; tries < 100 && !seen.includes('form-action'); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 50))
    return { seen: [...new Set(seen)].sort(), ran: 'ran' in globalThis, url: location.pathname }
  }, hostile.page())
  expect(blocked).toMatchObject({ ran: false, url: '/' })
  for (const directive of [
    'script-src-elem',
    'script-src-attr',
    'script-src',
    'style-src-elem',
    'img-src',
    'frame-src',
    'connect-src',
    'form-action',
  ])
    expect(blocked.seen).toContain(directive)
  expect(hostile.asked).toEqual([])
  expect(await appState(admitted)).toEqual(before)
  provesInBrowser('W3', blocked.seen.length)
})
