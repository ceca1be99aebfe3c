import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gate, hostsOf } from '../../../main/browser/request-gate.ts'
import { proves } from '../../proof/proves.ts'

const PORT = 4780
const HOSTS = hostsOf(PORT)

const head = (headers: readonly (readonly [string, string])[], method = 'GET', url = '/') => ({
  method,
  url,
  rawHeaders: headers.flat(),
})
const passes = (headers: readonly (readonly [string, string])[], method = 'GET', url = '/') =>
  gate(head(headers, method, url), PORT).pass

/** Spellings that some parser, resolver or proxy somewhere takes for this machine. */
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

describe('the gate', () => {
  it('passes the three spellings of this address', () => {
    for (const host of HOSTS) expect(passes([['Host', host]])).toBe(true)
  })

  it('knows only the bare names on port 80, as browsers send them', () => {
    expect(gate(head([['host', 'localhost']]), 80).pass).toBe(true)
    expect(gate(head([['host', 'localhost:80']]), 80).pass).toBe(false)
  })

  it('refuses every other Host before it looks at anything else', () => {
    const runs = 3000
    fc.assert(
      fc.property(nearlyHost, fc.constantFrom('GET', 'POST', 'OPTIONS', 'TRACE'), (host, method) => {
        fc.pre(!HOSTS.includes(host))
        expect(gate(head([['host', host]], method), PORT)).toEqual({ pass: false, status: 421 })
      }),
      { numRuns: runs },
    )
    proves('W5', { level: 2, cases: runs })
  })

  it('refuses a missing Host, and two of them even when both are right', () => {
    expect(passes([])).toBe(false)
    expect(
      passes([
        ['Host', `localhost:${PORT}`],
        ['host', `localhost:${PORT}`],
      ]),
    ).toBe(false)
  })

  it('refuses every Origin that is not exactly its own Host', () => {
    const runs = 3000
    const nearlyOrigin = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.webUrl(),
      nearlyHost.map((host) => `http://${host}`),
      fc.constantFrom(...HOSTS).map((host) => `https://${host}`),
      fc.constantFrom(...HOSTS).map((host) => `http://${host}/`),
      fc.constantFrom(...HOSTS).map((host) => `HTTP://${host}`),
      fc.constantFrom('null', '', 'file://', 'app://headroom', 'http://127.0.0.1:3000'),
    )
    fc.assert(
      fc.property(fc.constantFrom(...HOSTS), nearlyOrigin, (host, origin) => {
        fc.pre(origin !== `http://${host}`)
        for (const method of ['GET', 'POST'])
          expect(
            gate(
              head(
                [
                  ['host', host],
                  ['origin', origin],
                ],
                method,
              ),
              PORT,
            ),
          ).toEqual({
            pass: false,
            status: 403,
          })
      }),
      { numRuns: runs },
    )
    proves('W5', { level: 2, cases: runs })
  })

  it('refuses one of our spellings as the Origin of another', () => {
    expect(
      passes([
        ['host', `127.0.0.1:${PORT}`],
        ['origin', `http://localhost:${PORT}`],
      ]),
    ).toBe(false)
  })

  it('refuses a second Origin, and a POST without one', () => {
    const host = ['host', `localhost:${PORT}`] as const
    const origin = ['origin', `http://localhost:${PORT}`] as const
    expect(passes([host, origin], 'POST', '/api/session')).toBe(true)
    expect(passes([host, origin, origin], 'POST', '/api/session')).toBe(false)
    expect(passes([host], 'POST', '/api/session')).toBe(false)
  })

  it('refuses preflights and every method that has no use here', () => {
    for (const method of ['OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'CONNECT', 'get'])
      expect(gate(head([['host', HOSTS[0] ?? '']], method), PORT)).toEqual({ pass: false, status: 405 })
  })

  it('refuses the absolute form of a request, which names a second host', () => {
    expect(passes([['host', `localhost:${PORT}`]], 'GET', `http://localhost:${PORT}/`)).toBe(false)
  })

  it('lets the API be fetched only from its own page', () => {
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

  it('lets another site link to the page, and neither frame it nor load a part of it', () => {
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
