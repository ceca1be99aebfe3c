import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createPlainServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const COMPANY = path('certificates/company.pem')
const SECRET = /(?:access|refresh)-token-of-the-test/

interface Proxy {
  readonly port: string
  /** The requests and tunnels that the proxy received. */
  readonly lines: string[]
  kill(): void
}

async function startProxy(): Promise<Proxy> {
  const child = spawn(process.execPath, [path('proxy-process.ts')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  const said = createInterface({ input: child.stdout })
  const [first] = (await once(said, 'line')) as [string]
  said.on('line', (line) => lines.push(line))
  return { port: first.replace('port ', ''), lines, kill: () => void child.kill() }
}

interface Asked {
  readonly url: string
  readonly kind: string
  readonly body?: string
  readonly why?: string
}

/**
 * Sends the requests from a separate process. Its environment is `variables`, without any of ours that matter
 * here.
 */
async function ask<T = Asked>(
  urls: readonly string[],
  variables: Readonly<Record<string, string>>,
  script = 'asking-process.ts',
): Promise<readonly T[]> {
  const child = spawn(process.execPath, [path(script), ...urls], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...variables,
    },
  })
  let out = ''
  let errors = ''
  child.stdout.on('data', (part: Buffer) => (out += part.toString()))
  child.stderr.on('data', (part: Buffer) => (errors += part.toString()))
  const [code] = (await once(child, 'close')) as [number]
  expect(code, errors).toBe(0)
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
}

const started: Server[] = []
let plain = 0
let secure = 0
let proxy: Proxy

beforeAll(async () => {
  const answer = (by: string) => (_: unknown, response: import('node:http').ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"by":"${by}"}`)
  const certificate = {
    key: readFileSync(path('certificates/service.key.pem')),
    cert: readFileSync(path('certificates/service.pem')),
  }
  const listen = async (server: Server) => {
    server.listen(0)
    await once(server, 'listening')
    started.push(server)
    return (server.address() as AddressInfo).port
  }
  plain = await listen(createPlainServer(answer('service')))
  secure = await listen(createSecureServer(certificate, answer('service')))
  proxy = await startProxy()
})
afterAll(() => {
  for (const server of started) server.close()
  proxy.kill()
})

const everyVariable = (): Record<string, string> => {
  const url = `http://127.0.0.1:${proxy.port}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])
  return { ...Object.fromEntries(names.map((name) => [name, url])), NODE_EXTRA_CA_CERTS: COMPANY }
}
const byService = { kind: 'answer', body: '{"by":"service"}' }

test('loopback uses no proxy, whatever variables are set', async () => {
  const urls = ['127.0.0.1', 'localhost', '[::1]'].flatMap((host) => [
    `http://${host}:${plain}/oauth/token`,
    `https://${host}:${secure}/oauth/token`,
  ])
  const all = everyVariable()
  const environments = [
    ...Object.entries(all).map(([name, value]) => ({ [name]: value, NODE_EXTRA_CA_CERTS: COMPANY })),
    all,
    { ...all, NODE_USE_ENV_PROXY: '1' },
    { ...all, NO_PROXY: '', no_proxy: '' },
    { ...all, NO_PROXY: 'elsewhere.test', no_proxy: 'elsewhere.test' },
  ]
  proxy.lines.length = 0
  for (const variables of environments) {
    for (const asked of await ask(urls, variables)) expect(asked).toMatchObject(byService)
  }
  expect(proxy.lines).toEqual([])
  proves('T13', { level: 3, cases: environments.length * urls.length })
}, 60_000)

test('an unencrypted request to another computer is not sent, with or without a proxy', async () => {
  const url = `http://service.test:${plain}/oauth/token`
  const environments = [everyVariable(), { ...everyVariable(), NODE_USE_ENV_PROXY: '1' }, {}]
  proxy.lines.length = 0
  for (const variables of environments) {
    const [asked] = await ask([url], variables)
    expect(asked).toMatchObject({ kind: 'not-sent', why: 'use https; http is allowed only on this computer' })
  }
  expect(proxy.lines).toEqual([])
  proves('T13', { level: 3, cases: environments.length })
})

test('https uses a proxy as a tunnel, which sees the host and no secret', async () => {
  const url = `https://service.test:${secure}/oauth/token`
  const all = everyVariable()
  const { HTTPS_PROXY, https_proxy, NODE_EXTRA_CA_CERTS } = all as Record<string, string>
  const environments: Record<string, string>[] = [
    all,
    { HTTPS_PROXY: `${HTTPS_PROXY}`, NODE_EXTRA_CA_CERTS: `${NODE_EXTRA_CA_CERTS}` },
    { https_proxy: `${https_proxy}`, NODE_EXTRA_CA_CERTS: `${NODE_EXTRA_CA_CERTS}` },
    // Without a scheme, as curl and most other programs accept it.
    { HTTPS_PROXY: `127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: `${NODE_EXTRA_CA_CERTS}` },
  ]
  for (const variables of environments) {
    proxy.lines.length = 0
    expect(await ask([url], variables)).toMatchObject([byService])
    expect(proxy.lines.length).toBe(1)
    expect(proxy.lines[0]).toContain(`tunnel service.test:${secure}`)
    expect(proxy.lines[0]).not.toMatch(SECRET)
  }
  proves('T13', { level: 3, cases: environments.length })
})

test('the system’s proxy is a tunnel as well, and the environment takes precedence', async () => {
  const url = `https://service.test:${secure}/oauth/token`
  const named = `PROXY 127.0.0.1:${proxy.port}`
  const ways = [named, `${named}; DIRECT`, `SOCKS5 127.0.0.1:1; ${named}`, `PROXY 127.0.0.1:1; ${named}`]
  for (const SYSTEM_PROXY of ways) {
    proxy.lines.length = 0
    expect(await ask([url], { SYSTEM_PROXY, NODE_EXTRA_CA_CERTS: COMPANY })).toMatchObject([byService])
    expect(proxy.lines.length).toBe(1)
    expect(proxy.lines[0]).toContain(`tunnel service.test:${secure}`)
    expect(proxy.lines[0]).not.toMatch(SECRET)
  }
  const own = await ask([url], { ...everyVariable(), SYSTEM_PROXY: 'PROXY 127.0.0.1:1' })
  expect(own).toMatchObject([byService])
  const local = `https://localhost:${secure}/oauth/token`
  proxy.lines.length = 0
  for (const SYSTEM_PROXY of [named, 'DIRECT'])
    expect(await ask([local], { SYSTEM_PROXY, NODE_EXTRA_CA_CERTS: COMPANY })).toMatchObject([byService])
  expect(proxy.lines).toEqual([])
  proves('T13', { level: 3, cases: ways.length + 3 })
})

test('if the system names no usable proxy nothing bypasses it; if it says direct, requests go directly', async () => {
  const url = `https://service.test:${secure}/`
  const asked = async (SYSTEM_PROXY: string) => (await ask([url], { SYSTEM_PROXY }))[0]
  for (const answer of ['SOCKS5 127.0.0.1:1', 'QUIC a:1', ''])
    expect(await asked(answer)).toMatchObject({
      kind: 'not-sent',
      why: expect.stringMatching(/kind of system proxy/),
    })
  // The host's name was looked up directly, and does not exist.
  expect(await asked('DIRECT')).toMatchObject({ kind: 'not-sent', why: 'host name not found' })
})

test('NO_PROXY applies, in both spellings', async () => {
  const url = `https://service.test:${secure}/oauth/token`
  for (const name of ['NO_PROXY', 'no_proxy']) {
    proxy.lines.length = 0
    const [asked] = await ask([url], { ...everyVariable(), [name]: 'service.test' })
    expect(asked).toMatchObject({ kind: 'not-sent', why: 'host name not found' })
    expect(proxy.lines).toEqual([])
  }
})

test.each([
  'http://127.0.0.1:99999',
  'http://user:pa%ss@127.0.0.1:1',
  'socks5://127.0.0.1:1',
  'ftp://127.0.0.1',
  'a b',
])('an unusable proxy (%s) is reported in one line, and nothing bypasses it', async (address) => {
  const urls = [`https://service.test:${secure}/`, `http://127.0.0.1:${plain}/`]
  const [through, local] = await ask(urls, { HTTPS_PROXY: address, NODE_EXTRA_CA_CERTS: COMPANY })
  expect(through).toMatchObject({ kind: 'not-sent', why: 'the proxy in HTTPS_PROXY is not an http address' })
  expect(local).toMatchObject(byService)
})

test.each<[string, Record<string, string>]>([
  ['as it is', {}],
  ['where Node is told not to look', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
])('an untrusted certificate receives nothing, %s', async (_, variables) => {
  const { NODE_EXTRA_CA_CERTS: __, ...withProxy } = everyVariable()
  const local = `https://localhost:${secure}/oauth/token`
  const far = `https://service.test:${secure}/oauth/token`
  for (const [url, environment] of [
    [local, {}],
    [far, withProxy],
  ] as const) {
    const [asked] = await ask([url], { ...environment, ...variables })
    expect(asked).toMatchObject({ kind: 'not-sent', why: 'untrusted certificate' })
  }
  proves('T13', { level: 3, cases: 2 })
})

test('an order leaves once encrypted, directly and through a proxy, and never untrusted', async () => {
  const order = (url: string, variables: Readonly<Record<string, string>>) =>
    ask<object>([url], variables, 'ordering-process.ts')
  const { NODE_EXTRA_CA_CERTS, ...withProxy } = everyVariable()
  const extra = { NODE_EXTRA_CA_CERTS: `${NODE_EXTRA_CA_CERTS}` }
  const [local, far] = [`https://localhost:${secure}`, `https://service.test:${secure}`]
  const placed = [{ outcomes: [200, 200], leaving: 2 }]
  proxy.lines.length = 0
  expect(await order(local, extra)).toEqual(placed)
  expect(await order(far, { ...extra, ...withProxy })).toEqual(placed)
  // The second one reused the connection of the first.
  expect(proxy.lines.length).toBe(1)
  const refused = [{ outcomes: ['not-sent', 'not-sent'], leaving: 0 }]
  expect(await order(local, {})).toEqual(refused)
  expect(await order(far, withProxy)).toEqual(refused)
  expect(await order(`http://service.test:${plain}`, {})).toEqual(refused)
  proves('O1', { level: 3, cases: 5 })
})

test("a company's certificate is taken from NODE_EXTRA_CA_CERTS, with and without a proxy", async () => {
  const { NODE_EXTRA_CA_CERTS, ...withProxy } = everyVariable()
  const extra = { NODE_EXTRA_CA_CERTS: `${NODE_EXTRA_CA_CERTS}` }
  expect(await ask([`https://localhost:${secure}/`], extra)).toMatchObject([byService])
  expect(await ask([`https://service.test:${secure}/`], { ...extra, ...withProxy })).toMatchObject([
    byService,
  ])
})

// OpenSSL's own way to name the system's store; on other systems it is the keychain, which a test leaves
// alone.
test.runIf(process.platform === 'linux')(
  "a company's certificate is taken from the system's store",
  async () => {
    const asked = await ask([`https://localhost:${secure}/`], { SSL_CERT_FILE: COMPANY })
    expect(asked).toMatchObject([byService])
  },
)
