import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nkeys } from '@nats-io/transport-node'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { DeskMessage } from '../../../app/desk/messages.ts'
import type { Engine, EngineOptions } from '../../../main/desk/engine.ts'
import { deskNames, subjectOfAll } from '../../../main/desk/envelope.ts'
import { DeskLink } from '../../../main/desk/link.ts'
import { natsEngines } from '../../../main/desk/nats-engine.ts'
import { nodeClock, nodeRandom } from '../../../main/ports/node-clock.ts'
import { DeskProxy } from '../../desk-server/desk-proxy.ts'
import { getNatsServer } from '../../desk-server/get-nats-server.ts'
import { signedAccounts } from '../../desk-server/nats-accounts.ts'
import { freePort, type NatsServer } from '../../desk-server/nats-process.ts'
import { startNatsCluster, startNatsServer } from '../../desk-server/nats-server.ts'
import { PATIENT } from '../../patient.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualRandom } from '../../simulation/virtual-random.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { bytesFrom, SECRET } from './virtual-desk.ts'

const program = await getNatsServer((line) => console.error(line))
const name = `a real NATS server${program === undefined ? ' (not run: no nats-server)' : ''}`

const NAMES = deskNames(SECRET)
const SUBJECT = subjectOfAll(NAMES)
const engines = natsEngines({ clock: nodeClock, random: nodeRandom, randomBytes })
const certificate = (file: string) => fileURLToPath(new URL(`../ports/certificates/${file}`, import.meta.url))

/** An engine that has connected, or the refusal. It ends with the test. */
async function open(url: string | readonly string[], options: Partial<EngineOptions> = {}) {
  const outcome = await engines.open({ servers: [url].flat(), names: NAMES, ...options })
  if (outcome.ok) onTestFinished(() => outcome.engine.close())
  return outcome
}

async function opened(
  url: string | readonly string[],
  options: Partial<EngineOptions> = {},
): Promise<Engine> {
  const outcome = await open(url, options)
  if (!outcome.ok) throw new Error(outcome.message)
  return outcome.engine
}

const refusalOf = async (url: string, options: Partial<EngineOptions> = {}) => {
  const outcome = await open(url, options)
  return outcome.ok ? undefined : { code: outcome.code, message: outcome.message }
}

/** A proxy before a port of this computer that keeps every byte. It ends with the test. */
async function recordingProxy(to: number): Promise<DeskProxy> {
  const proxy = await DeskProxy.start(to, { records: true })
  onTestFinished(() => proxy.close())
  return proxy
}

/** All texts that arrive at a subject. */
function listen(engine: Engine, subject = SUBJECT): string[] {
  const texts: string[] = []
  engine.subscribe(subject, (bytes) => texts.push(Buffer.from(bytes).toString()))
  return texts
}

const say = (engine: Engine, text: string) => engine.publish(SUBJECT, Buffer.from(text))

/** Repeats a message until it arrives, because the other side may still be connecting. */
const arrives = (from: Engine, texts: readonly string[], text: string) =>
  expect
    .poll(() => {
      say(from, text)
      return texts.includes(text)
    }, PATIENT)
    .toBe(true)

describe.skipIf(program === undefined)(name, () => {
  const start = (traits: Parameters<typeof startNatsServer>[1] = {}): Promise<NatsServer> =>
    startNatsServer(program ?? '', traits)

  it('passes messages to other engines of the same desk only, in their order', async () => {
    const { url } = await start()
    const [a, b] = [await opened(url), await opened(url)]
    const other = await opened(url, { names: deskNames(Buffer.alloc(32, 9).toString('base64url')) })
    const [atA, atB] = [listen(a), listen(b)]
    const atOther = listen(other, subjectOfAll(deskNames(Buffer.alloc(32, 9).toString('base64url'))))
    await arrives(a, atB, 'first')
    for (let sent = 0; sent < 200; sent += 1) say(a, String(sent))
    await expect.poll(() => atB.at(-1), PATIENT).toBe('199')
    expect(atB.filter((text) => text !== 'first')).toEqual(Array.from({ length: 200 }, (_, at) => String(at)))
    expect([atA, atOther]).toEqual([[], []])
    expect(a.state).toMatchObject({ server: url.slice('nats://'.length), reachable: true })
    await expect.poll(() => a.state.roundTripMs, PATIENT).toBeGreaterThan(0)
  })

  it('ends a subscription, and sends what was published before it is closed', async () => {
    const [cert, key] = [certificate('service.pem'), certificate('service.key.pem')]
    const { url } = await start({ config: `tls { cert_file: "${cert}", key_file: "${key}" }` })
    const tlsCa = certificate('company.pem')
    const [a, b] = [await opened(url, { tlsCa }), await opened(url, { tlsCa })]
    const [atB, ended] = [listen(b), [] as string[]]
    const end = b.subscribe(SUBJECT, (bytes) => ended.push(String(bytes)))
    await arrives(a, atB, 'first')
    end()
    const { length } = ended
    say(a, 'goodbye')
    await a.close()
    await expect.poll(() => atB.at(-1), PATIENT).toBe('goodbye')
    expect(ended).toHaveLength(length)
    say(a, 'too late')
    expect(a.state.reachable).toBe(false)
  })

  it('stores a value that outlives its writer, in a bucket of its own', async () => {
    const { url } = await start()
    const a = await opened(url)
    expect(await a.read('m')).toEqual({ known: true, bytes: undefined })
    expect(await a.write('m', Buffer.from('value'))).toBe(true)
    await a.close()
    const b = await opened(url)
    const read = await b.read('m')
    expect(read.known && Buffer.from(read.bytes ?? []).toString()).toBe('value')
    expect(await b.write('m', Buffer.alloc(5_000))).toBe(false)
  })

  it('is joined with a user, a token, an nkey or a .creds file, and refuses any other', async () => {
    const user = nkeys.createUser()
    const seed = Buffer.from(user.getSeed()).toString()
    const byUser = await start({
      config: `authorization { users: [ { user: ann, password: "p:ss" }, { nkey: ${user.getPublicKey()} } ] }`,
    })
    const byToken = await start({ config: 'authorization { token: "a-token" }' })
    const accounts = signedAccounts()
    const byCreds = await start({ config: accounts.config })
    const accepted = [
      [byUser.url, 'ann:p:ss'],
      [byUser.url, `${seed}\n`],
      [byToken.url, 'a-token'],
      [byCreds.url, accounts.creds],
      [byCreds.url, accounts.creds.replaceAll('\n', '\r\n')],
    ] as const
    for (const [url, credentials] of accepted) expect(await refusalOf(url, { credentials })).toBeUndefined()
    const refused = [
      [byUser.url, 'ann:another-password'],
      [byUser.url, 'ann'],
      [byUser.url, undefined],
      [byUser.url, Buffer.from(nkeys.createUser().getSeed()).toString()],
      [byToken.url, 'another-token'],
      [byToken.url, 'ann:p:ss'],
      [byCreds.url, signedAccounts().creds],
      [byCreds.url, accounts.creds.replace(accounts.seed, `${accounts.seed.slice(0, -4)}AAAA`)],
      [byCreds.url, '-----BEGIN NATS USER JWT-----\nhalf of a file'],
    ] as const
    for (const [url, credentials] of refused) {
      const shown = url.slice('nats://'.length)
      expect(await refusalOf(url, { ...(credentials && { credentials }) }), credentials).toEqual({
        code: 'credentials',
        message: `${shown} rejected the credentials.`,
      })
    }
  }, 60_000)

  it('is refused without JetStream, on the server or in the account', async () => {
    const without = await start({ hasStore: false })
    expect(await refusalOf(without.url)).toMatchObject({ code: 'no-jetstream' })
    const account = await start({
      config: 'accounts { A { users: [ { user: ann, password: p } ] } }',
    })
    expect(await refusalOf(account.url, { credentials: 'ann:p' })).toMatchObject({ code: 'no-jetstream' })
    const tooSmall = await start({ config: 'max_payload: 65536' })
    expect(await refusalOf(tooSmall.url)).toMatchObject({ code: 'small-messages' })
  })

  it('needs permission for the desk’s subjects, its inbox and its bucket, and no other', async () => {
    const { prefix, inbox, bucket, lease } = NAMES
    const api = ['STREAM.INFO', 'STREAM.CREATE', 'STREAM.MSG.GET'].flatMap((call) =>
      [bucket, lease].map((one) => `$JS.API.${call}.KV_${one}`),
    )
    const publish = [`${prefix}.>`, `$KV.${bucket}.>`, `$KV.${lease}.>`, '$JS.API.INFO', ...api]
    const unleased = publish.filter((subject) => !subject.includes(lease))
    const quoted = (subjects: readonly string[]) => subjects.map((subject) => `"${subject}"`).join(', ')
    const user = (name: string, allowed: { publish: readonly string[]; subscribe: readonly string[] }) =>
      `{ user: ${name}, password: p, permissions: {
           publish: [${quoted(allowed.publish)}], subscribe: [${quoted(allowed.subscribe)}] } }`
    const subscribe = [`${prefix}.>`, `${inbox}.>`]
    const { url } = await start({
      config: `authorization { users: [
        ${user('exact', { publish, subscribe })},
        ${user('deaf', { publish, subscribe: [`${inbox}.>`] })},
        ${user('mute', { publish: publish.slice(1), subscribe })},
        ${user('unleased', { publish: unleased, subscribe })},
        ${user('storeless', { publish: publish.filter((subject) => !subject.startsWith('$JS')), subscribe })}
      ] }`,
    })
    const exact = await opened(url, { credentials: 'exact:p' })
    const another = await opened(url, { credentials: 'exact:p' })
    await arrives(exact, listen(another), 'permitted')
    expect(await exact.write('m', Buffer.from('x'))).toBe(true)
    expect(await another.read('m')).toMatchObject({ known: true, bytes: expect.anything() })
    expect(await exact.lease.create()).toBe('held')
    await exact.lease.release()
    expect(await another.lease.create()).toBe('held')
    for (const credentials of ['deaf:p', 'mute:p', 'unleased:p', 'storeless:p'])
      expect(await refusalOf(url, { credentials }), credentials).toMatchObject({ code: 'permissions' })
  })

  it('needs TLS outside this computer, and a certificate that the CA signed for its name', async () => {
    const [cert, key] = [certificate('service.pem'), certificate('service.key.pem')]
    const secure = await start({
      host: '0.0.0.0',
      config: `tls { cert_file: "${cert}", key_file: "${key}" }`,
    })
    const plain = await start({ host: '0.0.0.0', config: 'authorization { token: "a-token" }' })
    const tlsCa = certificate('company.pem')
    for (const host of ['localhost', '127.0.0.1'])
      expect(await refusalOf(`tls://${host}:${secure.port}`, { tlsCa }), host).toBeUndefined()
    // For an address of this computer, TLS is used if the server requires it.
    expect(await refusalOf(secure.url, { tlsCa })).toBeUndefined()
    // 0.0.0.0 does not count as this computer, and the certificate does not contain it.
    const outside = (scheme: string, { port }: NatsServer) => `${scheme}://0.0.0.0:${port}`
    expect(await refusalOf(outside('nats', secure), { tlsCa })).toMatchObject({ code: 'tls-untrusted' })
    expect(await refusalOf(`tls://localhost:${secure.port}`)).toMatchObject({ code: 'tls-untrusted' })
    expect(await refusalOf(`tls://localhost:${secure.port}`, { tlsCa: cert })).toMatchObject({
      code: 'tls-untrusted',
    })
    const missing = join(temporaryFolder(), 'no-such.pem')
    expect(await refusalOf(secure.url, { tlsCa: missing })).toMatchObject({ code: 'tls-ca' })
    expect(await refusalOf(secure.url, { tlsCa: key })).toMatchObject({ code: 'tls-ca' })
    const spied = await recordingProxy(plain.port)
    for (const url of [outside('nats', plain), outside('tls', plain), `tls://localhost:${spied.port}`])
      expect(await refusalOf(url, { credentials: 'a-token', tlsCa })).toMatchObject({ code: 'tls-needed' })
    expect(spied.recorded().toString()).not.toContain('a-token')
  })

  it('is refused if it can’t be reached, without credentials in the message', async () => {
    const port = await freePort()
    const refused = await refusalOf(`nats://127.0.0.1:${port}`, { credentials: 'ann:a-password' })
    expect(refused).toEqual({ code: 'unreachable', message: `127.0.0.1:${port} refused the connection.` })
    for (const url of [
      'http://localhost:4222',
      'nats://ann:a-password@localhost',
      'localhost',
      'nats://',
      'nats://h:0',
    ])
      expect(await refusalOf(url), url).toEqual({
        code: 'address',
        message: 'Enter a server such as nats://HOST:4222.',
      })
    // If a server can't be reached, the next one in the list is tried. The result of the one that responds
    // counts.
    const closed = await start({ config: 'authorization { token: "a-token" }' })
    for (const urls of [
      [closed.url, `nats://127.0.0.1:${port}`],
      [`nats://127.0.0.1:${port}`, closed.url],
    ])
      expect(await open(urls)).toMatchObject({ ok: false, code: 'credentials' })
    const { url } = await start()
    expect((await opened([`nats://127.0.0.1:${port}`, url])).state).toMatchObject({ reachable: true })
  })

  it('that never responds is abandoned within seconds, and its connection is closed', async () => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    })
    const port = await freePort()
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve))
    onTestFinished(() => void silent.close())
    const message = `127.0.0.1:${port} does not respond as a NATS server. Check the port.`
    expect(await refusalOf(`nats://127.0.0.1:${port}`)).toEqual({ code: 'unreachable', message })
    await expect.poll(() => sockets.size, PATIENT).toBe(0)
    // An engine can be closed while it is still trying to connect.
    const engine = engines.start({ servers: [`nats://127.0.0.1:${port}`], names: NAMES })
    await expect.poll(() => sockets.size, PATIENT).toBe(1)
    await engine.close()
    await expect.poll(() => sockets.size, PATIENT).toBe(0)
  })

  it('can’t write into the output of this program, and is not used if nothing of it can be read', async () => {
    const info = { version: '2.9.10', proto: 1, max_payload: 1_048_576, jetstream: true }
    const greeting = (more = {}) => `INFO ${JSON.stringify({ ...info, ...more })}\r\n`
    const hostile = [
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      `${greeting()}\u001b[2J\r\n`,
      `${greeting()}INFO {"version"\r\n`,
      greeting({ version: 'none' }),
      greeting({ version: 7 }),
      `${greeting()}MSG a b c d e\r\n`,
    ]
    const print = vi.spyOn(console, 'log')
    onTestFinished(() => print.mockRestore())
    for (const text of hostile) {
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.write(text)
      })
      const port = await freePort()
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      expect(await refusalOf(`nats://127.0.0.1:${port}`), text).toEqual({
        code: 'unreachable',
        message: `127.0.0.1:${port} does not respond as a NATS server. Check the port.`,
      })
      server.close()
    }
    expect(print).not.toHaveBeenCalled()
  })

  it.each(['\u001b[2J\r\n', 'MSG a b c d e\r\n', 'INFO {"version"\r\n'])(
    'that sends %j later is left, and found again',
    async (text) => {
      const print = vi.spyOn(console, 'log')
      onTestFinished(() => print.mockRestore())
      const { port } = await start()
      const proxy = await DeskProxy.start(port)
      onTestFinished(() => proxy.close())
      const engine = await opened([proxy.url])
      const changes: boolean[] = []
      engine.onChange(() => changes.push(engine.state.reachable))
      proxy.inject(text)
      await expect.poll(() => [...changes], PATIENT).toEqual([false, true])
      expect(print).not.toHaveBeenCalled()
    },
  )

  it('that starts after the app is found', async () => {
    const port = await freePort()
    const engine = engines.start({ servers: [`nats://127.0.0.1:${port}`], names: NAMES })
    onTestFinished(() => engine.close())
    const changes: boolean[] = []
    engine.onChange(() => changes.push(engine.state.reachable))
    const texts = listen(engine)
    say(engine, 'lost')
    await expect.poll(() => engine.state.refusal?.code, PATIENT).toBe('unreachable')
    expect(engine.state.sinceMs).toBeLessThanOrEqual(Date.now())
    expect(await engine.read('m')).toEqual({ known: false })
    expect(await engine.write('m', new Uint8Array(1))).toBe(false)
    const { url } = await start({ port })
    await expect.poll(() => engine.state.reachable, PATIENT).toBe(true)
    expect(engine.state.refusal ?? engine.state.sinceMs).toBeUndefined()
    expect(changes.at(-1)).toBe(true)
    await arrives(await opened(url), texts, 'found')
  })

  it('that starts after the app is found at once if a person asks', async () => {
    const port = await freePort()
    let waits = 0
    let isStopped = true
    const after: typeof nodeClock.after = (ms, run) => {
      waits += 1
      return isStopped ? () => {} : nodeClock.after(ms, run)
    }
    // The wait for the next attempt never ends by itself.
    const engine = natsEngines({ clock: { ...nodeClock, after }, random: nodeRandom, randomBytes }).start({
      servers: [`nats://127.0.0.1:${port}`],
      names: NAMES,
    })
    onTestFinished(() => engine.close())
    // For the timeout of the first attempt, then for the next attempt.
    await expect.poll(() => waits, PATIENT).toBe(2)
    await start({ port })
    expect(engine.state.reachable).toBe(false)
    isStopped = false
    engine.tryNow()
    await expect.poll(() => engine.state.reachable, PATIENT).toBe(true)
  })

  it('may be killed and start again with an empty store', async () => {
    const server = await start()
    const [a, b] = [await opened(server.url), await opened(server.url)]
    const texts = listen(b)
    await arrives(a, texts, 'before')
    expect(await a.write('m', Buffer.from('value'))).toBe(true)
    await server.kill()
    await expect.poll(() => [a, b].map(({ state }) => state.reachable), PATIENT).toEqual([false, false])
    say(a, 'lost')
    await server.restart()
    await expect.poll(() => [a, b].map(({ state }) => state.reachable), PATIENT).toEqual([true, true])
    await arrives(a, texts, 'after')
    expect(texts).not.toContain('lost')
    expect(await b.read('m')).toEqual({ known: true, bytes: undefined })
    expect(await b.write('m', Buffer.from('again'))).toBe(true)
    expect(await a.read('m')).toMatchObject({ known: true, bytes: expect.anything() })
  })

  it('that freezes is noticed, and found again', async () => {
    const server = await start()
    const [a, b] = [await opened(server.url), await opened(server.url)]
    const texts = listen(b)
    await arrives(a, texts, 'before')
    server.freeze()
    await expect.poll(() => a.state.reachable, PATIENT).toBe(false)
    const silent = `127.0.0.1:${server.port} doesn’t respond.`
    expect(a.state.refusal?.message).toBe(silent)
    // The port still accepts connections, but it is that of a NATS server.
    await new Promise<void>((resolve) => a.onChange(resolve))
    expect(a.state.refusal?.message).toBe(silent)
    server.thaw()
    await arrives(a, texts, 'after')
    expect(a.state.reachable).toBe(true)
  })

  it('of a cluster may be killed while it is used', async () => {
    const cluster = await startNatsCluster(program ?? '')
    const urls = cluster.map(({ url }) => url)
    let outcome = await open(urls)
    // JetStream elects its leader for some seconds after the cluster has started.
    await expect
      .poll(
        async () => {
          if (!outcome.ok) outcome = await open(urls)
          return outcome.ok
        },
        { timeout: 30_000, interval: 200 },
      )
      .toBe(true)
    const a = outcome.ok ? outcome.engine : await opened(urls)
    const b = await opened(urls.slice(1))
    const texts = listen(b)
    await arrives(a, texts, 'before')
    expect(await a.write('m', Buffer.from('value'))).toBe(true)
    const used = cluster.find(({ url }) => url.endsWith(a.state.server))
    await used?.kill()
    await expect
      .poll(() => a.state.server !== used?.url.slice('nats://'.length) && a.state.reachable, PATIENT)
      .toBe(true)
    await arrives(a, texts, 'after')
    await expect
      .poll(() => a.read('m'), { timeout: 30_000, interval: 200 })
      .toMatchObject({ known: true, bytes: expect.anything() })
  }, 90_000)

  it('sees no plain text of a desk, on the wire or in its store', async () => {
    const server = await start()
    const proxy = await recordingProxy(server.port)
    const url = `nats://127.0.0.1:${proxy.port}`
    const ids = ['ab'.repeat(8), 'cd'.repeat(8)]
    const heard: DeskMessage[] = []
    const link = async (memberId: string, at: number) => {
      const engine = await opened(url)
      const made = new DeskLink(
        {
          engine,
          membership: { secret: SECRET, memberId, name: 'WORKSTATION' },
          clock: nodeClock,
          random: nodeRandom,
          randomBytes: bytesFrom(new VirtualRandom(at)),
        },
        {
          message: (_from, message) => heard.push(message),
          began: () => {},
          ended: () => {},
          pictureWanted: () => {},
          copied: () => {},
          otherProtocol: () => {},
          dropped: () => {},
        },
      )
      onTestFinished(() => made.close())
      return { engine, link: made }
    }
    const [a] = [await link(ids[0]!, 1), await link(ids[1]!, 2)]
    const report: DeskMessage = {
      kind: 'report',
      number: 1,
      name: 'WORKSTATION',
      user: 'a-hash-of-the-user',
      rates: { 'Market Data': 3 },
      counted: { Positions: 4 },
      streams: { 'Quotes of MSFTX': 1 },
      underWay: [],
      programs: [
        {
          ...{ name: 'scanner.py', perSecond: 1, class: 'normal', weight: 1, waiting: 1, longestWaitMs: 9 },
          use: [{ category: 'Positions', perSecond: 1, waiting: 1, turnInMs: 5 }],
        },
      ],
      snoozeMs: 0,
    }
    await expect
      .poll(() => {
        a.link.broadcast(report)
        return heard.length
      }, PATIENT)
      .toBeGreaterThan(0)
    expect(heard[0]).toEqual(report)
    await a.engine.write('m', Buffer.alloc(16))
    expect(await a.engine.lease.create()).toBe('held')
    a.link.leave()
    await a.engine.close()
    const stored = readdirSync(server.folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [`${join(entry.parentPath, entry.name)}`] : [],
    )
    const seen = Buffer.concat([
      proxy.recorded(),
      ...stored.map((path) => Buffer.concat([Buffer.from(path), readFileSync(path)])),
    ])
    expect(seen.length).toBeGreaterThan(1_000)
    const secretBytes = Buffer.from(SECRET, 'base64url')
    const words = [
      'headroom',
      'desk',
      'WORKSTATION',
      'a-hash-of-the-user',
      'Market Data',
      'Positions',
      'MSFTX',
    ]
    const canaries = [...words, '_INBOX', 'scanner', 'rotated', 'report', SECRET, secretBytes.toString('hex')]
    // The path of a test's folder contains the program's name, so it is removed.
    const text = seen.toString('latin1').replaceAll(server.folder, '').toLowerCase()
    expect(canaries.filter((canary) => text.includes(canary.toLowerCase()))).toEqual([])
    proves('M5', { level: 3, cases: 1 })
    expect(seen.includes(secretBytes)).toBe(false)
    // The server must see the desk's names, so they are found. This shows that the search works.
    for (const seenName of Object.values(NAMES)) expect(text).toContain(seenName)
  })
})
