import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gate } from '../../../main/network/request-gate.ts'
import { proves } from '../../proof/proves.ts'
import { lawRuns } from '../../thorough.ts'

const PORT = 4780
const HOSTS = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${PORT}`)

const head = (headers: readonly (readonly [string, string])[], method = 'GET', url = '/') => ({
  method,
  url,
  rawHeaders: headers.flat(),
})
const passes = (headers: readonly (readonly [string, string])[], method = 'GET', url = '/') =>
  gate(head(headers, method, url), PORT).pass

/** Number of odd forms of each kind. */
const RUNS = lawRuns(100_000)

/** Spellings that some parser, resolver or proxy might treat as this machine. */
const nearlyHost = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.domain(),
  fc.ipV4().map((ip) => `${ip}:${PORT}`),
  fc.ipV6().map((ip) => `[${ip}]:${PORT}`),
  fc.tuple(fc.constantFrom(...HOSTS), fc.string({ minLength: 1, maxLength: 6 })).map(([h, s]) => h + s),
  fc.tuple(fc.string({ minLength: 1, maxLength: 6 }), fc.constantFrom(...HOSTS)).map(([s, h]) => s + h),
  fc.constantFrom(
    '127.0.0.1',
    'localhost',
    '[::1]',
    `LOCALHOST:${PORT}`,
    `Localhost:${PORT}`,
    `localhost.:${PORT}`,
    `127.1:${PORT}`,
    `2130706433:${PORT}`,
    `0x7f000001:${PORT}`,
    `0.0.0.0:${PORT}`,
    `[::]:${PORT}`,
    `[0:0:0:0:0:0:0:1]:${PORT}`,
    `[::ffff:127.0.0.1]:${PORT}`,
    `::1:${PORT}`,
    `127.0.0.1:0${PORT}`,
    `127.0.0.1:${PORT + 1}`,
    `localhost:${PORT}.evil.test`,
    `evil.test@localhost:${PORT}`,
    `user@127.0.0.1:${PORT}`,
    `localhost:${PORT}, localhost:${PORT}`,
    `app.localhost:${PORT}`,
    '',
  ),
)

const nearlyOrigin = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.webUrl(),
  nearlyHost.map((host) => `http://${host}`),
  fc.constantFrom(...HOSTS).map((host) => `https://${host}`),
  fc.constantFrom(...HOSTS).map((host) => `http://${host}/`),
  fc.constantFrom(...HOSTS).map((host) => `HTTP://${host}`),
  fc.tuple(fc.constantFrom(...HOSTS), fc.string({ maxLength: 5 })).map(([h, s]) => `http://${h}${s}`),
  fc.constantFrom('null', '', 'file://', 'app://headroom', 'http://127.0.0.1:3000', 'chrome-extension://x'),
)

describe('the gate', () => {
  it('accepts the three spellings of this address', () => {
    for (const host of HOSTS) expect(passes([['Host', host]])).toBe(true)
  })

  it('accepts only the bare names on port 80, as browsers send them', () => {
    expect(gate(head([['host', 'localhost']]), 80).pass).toBe(true)
    expect(gate(head([['host', 'localhost:80']]), 80).pass).toBe(false)
  })

  it('rejects every other Host before it checks anything else', () => {
    const method = fc.constantFrom('GET', 'POST', 'OPTIONS', 'TRACE')
    let tried = 0
    fc.assert(
      fc.property(nearlyHost, method, (host, asked) => {
        fc.pre(!HOSTS.includes(host))
        tried += 1
        const verdict = gate(head([['host', host]], asked), PORT)
        if (verdict.pass || verdict.status !== 421) throw new Error(`${host}: ${JSON.stringify(verdict)}`)
      }),
      { numRuns: RUNS },
    )
    expect(tried).toBe(RUNS)
    proves('W5', { level: 2, cases: tried })
  })

  it('rejects a missing Host, and two of them even if both are right', () => {
    expect(passes([])).toBe(false)
    expect(
      passes([
        ['Host', `localhost:${PORT}`],
        ['host', `localhost:${PORT}`],
      ]),
    ).toBe(false)
  })

  it('rejects Origins that are not exactly its own Host', () => {
    let tried = 0
    const method = fc.constantFrom('GET', 'HEAD', 'POST')
    fc.assert(
      fc.property(fc.constantFrom(...HOSTS), nearlyOrigin, method, (host, origin, asked) => {
        fc.pre(origin !== `http://${host}`)
        tried += 1
        const headers = [['host', host] as const, ['origin', origin] as const]
        const verdict = gate(head(headers, asked), PORT)
        if (verdict.pass || verdict.status !== 403)
          throw new Error(`${origin} on ${host}: ${JSON.stringify(verdict)}`)
      }),
      { numRuns: RUNS },
    )
    expect(tried).toBe(RUNS)
    proves('W5', { level: 2, cases: tried })
  })

  it('accepts the right Host and Origin among any other headers, and no wrong one', () => {
    const odd = fc.tuple(
      fc.constantFrom(
        'x-forwarded-host',
        'forwarded',
        'x-host',
        'referer',
        'cookie',
        'hosts',
        'origin2',
        'via',
      ),
      fc.constantFrom(...HOSTS, 'evil.test', `http://${HOSTS[0]}`, 'host=evil.test', '*', 'null'),
    )
    const named = (name: string, values: fc.Arbitrary<string>) =>
      fc.tuple(fc.constantFrom(name, name.toUpperCase(), `${name[0]?.toUpperCase()}${name.slice(1)}`), values)
    const host = named('host', fc.constantFrom(...HOSTS, 'evil.test', `evil.test:${PORT}`))
    const origin = named(
      'origin',
      fc.constantFrom(...HOSTS.map((own) => `http://${own}`), 'http://evil.test'),
    )
    const site = named('sec-fetch-site', fc.constantFrom('same-origin', 'same-site', 'cross-site', 'none'))
    const headers = fc.array(fc.oneof(odd, host, origin, site), { maxLength: 5 })
    const url = fc.constantFrom('/', '/api/session', '/api/pushes?x=http://evil.test', '/api/command/revoke')
    const passed: string[] = []
    fc.assert(
      fc.property(headers, url, (given, target) => {
        const method = target === '/' || target.startsWith('/api/pushes') ? 'GET' : 'POST'
        const named = (name: string) =>
          given.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value)
        const [own] = named('host')
        const mayPass =
          named('host').length === 1 &&
          HOSTS.includes(own ?? '') &&
          named('origin').every((value) => value === `http://${own}`) &&
          named('origin').length <= 1 &&
          (method === 'GET' || named('origin').length === 1) &&
          named('sec-fetch-site').length <= 1 &&
          named('sec-fetch-site').every((value) =>
            (target === '/' ? ['same-origin', 'none'] : ['same-origin']).includes(value),
          )
        if (passes(given, method, target) !== mayPass) throw new Error(`${method} ${target} ${given}`)
        if (mayPass) passed.push(target)
      }),
      { numRuns: RUNS },
    )
    expect(passed.length).toBeGreaterThan(lawRuns(500))
    proves('W5', { level: 2, cases: RUNS })
  })

  it('rejects one of our spellings as the Origin of another', () => {
    expect(
      passes([
        ['host', `127.0.0.1:${PORT}`],
        ['origin', `http://localhost:${PORT}`],
      ]),
    ).toBe(false)
  })

  it('rejects a second Origin, and a POST without one', () => {
    const host = ['host', `localhost:${PORT}`] as const
    const origin = ['origin', `http://localhost:${PORT}`] as const
    expect(passes([host, origin], 'POST', '/api/session')).toBe(true)
    expect(passes([host, origin, origin], 'POST', '/api/session')).toBe(false)
    expect(passes([host], 'POST', '/api/session')).toBe(false)
  })

  it('rejects preflights and every unused method', () => {
    for (const method of ['OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'CONNECT', 'get'])
      expect(gate(head([['host', HOSTS[0] ?? '']], method), PORT)).toEqual({ pass: false, status: 405 })
  })

  it('rejects a path that needs decoding, whatever it decodes to', () => {
    const host = ['host', HOSTS[0] ?? ''] as const
    for (const url of ['/%61pi/pushes', '/api%2fpushes', '/%2e%2e/x', '/%', '/%zz', '/index%2ehtml'])
      expect(gate(head([host], 'GET', url), PORT)).toEqual({ pass: false, status: 404 })
    expect(passes([host], 'GET', '/?next=%2Fapi')).toBe(true)
  })

  it('rejects the absolute form of a request, which names a second host', () => {
    expect(passes([['host', `localhost:${PORT}`]], 'GET', `http://localhost:${PORT}/`)).toBe(false)
  })

  it('lets only its own page fetch the API', () => {
    const from = (site: string) =>
      passes(
        [
          ['host', `localhost:${PORT}`],
          ['sec-fetch-site', site],
        ],
        'GET',
        '/api/pushes',
      )
    expect(from('same-origin')).toBe(true)
    for (const site of ['same-site', 'cross-site', 'none', 'Same-Origin', '', 'same-origin, same-origin'])
      expect(from(site)).toBe(false)
  })

  it('lets another site link to the page, but neither frame it nor load a part of it', () => {
    const from = (mode: string, dest: string) =>
      passes([
        ['host', `localhost:${PORT}`],
        ['sec-fetch-site', 'cross-site'],
        ['sec-fetch-mode', mode],
        ['sec-fetch-dest', dest],
      ])
    expect(from('navigate', 'document')).toBe(true)
    expect(from('navigate', 'iframe')).toBe(false)
    expect(from('no-cors', 'script')).toBe(false)
    expect(from('no-cors', 'image')).toBe(false)
    expect(from('cors', 'empty')).toBe(false)
  })
})
