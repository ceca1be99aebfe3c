import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Outcome } from '../../../app/contract/outcome.ts'
import { askRunning } from '../../../main/control/ask-running.ts'
import { MAX_CONNECTIONS, startControlServer } from '../../../main/control/control-server.ts'
import { MAX_REQUEST_BYTES } from '../../../main/control/protocol.ts'
import type { SocketPath } from '../../../main/control/socket-path.ts'
import type { ProfileSession } from '../../../main/monitor/profile-session.ts'
import { nodeClock } from '../../../main/ports/node-clock.ts'
import type { Clock } from '../../../main/ports/ports.ts'
import { PATIENT } from '../../patient.ts'
import { NO_DESKS } from '../desk/no-desks.ts'
import { exampleSnapshot } from '../hosts/terminal/example-snapshot.ts'
import { silentSockets } from '../silent-sockets.ts'
import { SteppedClock } from '../stepped-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const onPosix = test.skipIf(process.platform === 'win32')
const userId = process.getuid?.()

interface Setting {
  readonly outcome?: Outcome | Promise<Outcome>
  readonly clock?: Clock
  readonly snapshots?: number
  readonly gateway?: NonNullable<Parameters<typeof startControlServer>[0]['gateway']>
  readonly desk?: NonNullable<Parameters<typeof startControlServer>[0]['desk']>
}

/** A session that can do nothing but revoke. */
const sessionThat = (revoke: ProfileSession['revoke']) => ({ revoke }) as unknown as ProfileSession

async function listening(
  path: SocketPath,
  { outcome = { ok: true }, clock = nodeClock, snapshots = 1, gateway, desk }: Setting = {},
) {
  const revoked: string[] = []
  const notes: string[] = []
  const noted: unknown[] = []
  const server = await startControlServer({
    monitor: {
      profiles: () => Array.from({ length: snapshots }, () => 'simulator'),
      snapshot: () => exampleSnapshot(),
      withProfile: (profile, run) =>
        run(
          sessionThat(async () => {
            revoked.push(profile)
            return outcome
          }),
        ),
    },
    path,
    clock,
    log: {
      note: (line, details) => {
        notes.push(line)
        noted.push(details)
      },
    },
    userId,
    ...(gateway && { gateway }),
    ...(desk && { desk }),
  })
  onTestFinished(() => server.close())
  return { server, revoked, notes, noted }
}

const inFolder = (folder = temporaryFolder()): SocketPath => ({
  kind: 'socket',
  path: join(folder, 'control.sock'),
})
const ask = (path: SocketPath, request: Parameters<typeof askRunning>[0]) =>
  askRunning(request, { clock: nodeClock, path, userId })

/** The server's response to any bytes. */
function raw(path: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(path, () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (part: string) => {
      text += part
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
  })
}

onPosix('status answers with the latest snapshot of every key', async () => {
  const path = inFolder()
  await listening(path)
  const asked = await ask(path, { do: 'status' })
  expect(asked).toEqual({ kind: 'answered', answer: { ok: true, snapshots: [exampleSnapshot()] } })
})

onPosix('revoke is the monitor’s, and what it says is passed on', async () => {
  const refusal = { ok: false, code: 'revoke-unconfirmed', message: 'Not confirmed.' } as const
  const path = inFolder()
  const { revoked } = await listening(path, { outcome: refusal })
  expect(await ask(path, { do: 'revoke', profile: 'simulator' })).toEqual({
    kind: 'answered',
    answer: refusal,
  })
  expect(revoked).toEqual(['simulator'])
})

onPosix('a socket file that is deleted is there again after ten seconds, private, and answers', async () => {
  const path = inFolder()
  const clock = new SteppedClock()
  const { server, notes } = await listening(path, { clock })
  const inode = statSync(path.path).ino
  clock.advance(10_000)
  expect(statSync(path.path).ino).toBe(inode)
  rmSync(path.path)
  clock.advance(9_999)
  expect(await ask(path, { do: 'status' })).toEqual({ kind: 'not-running' })
  clock.advance(1)
  await vi.waitFor(
    async () => expect(await ask(path, { do: 'status' })).toMatchObject({ kind: 'answered' }),
    PATIENT,
  )
  expect(statSync(path.path).mode & 0o777).toBe(0o600)
  expect(notes).toEqual(['the control socket was deleted; it is open again'])
  await server.close()
  await vi.waitFor(() => expect([existsSync(path.path), clock.pending]).toEqual([false, 0]), PATIENT)
})

onPosix('a socket whose folder is deleted too is noted once, and opened in the folder’s place', async () => {
  const folder = join(temporaryFolder(), 'data')
  mkdirSync(folder)
  const path = inFolder(folder)
  const clock = new SteppedClock()
  const { notes } = await listening(path, { clock })
  rmSync(folder, { recursive: true })
  for (let tries = 0; tries < 3; tries += 1) {
    clock.advance(10_000)
    await new Promise((resolve) => void setImmediate(resolve))
  }
  expect(notes).toEqual(['the control socket was deleted and can’t be opened again'])
  mkdirSync(folder)
  clock.advance(10_000)
  await vi.waitFor(
    () => expect(notes.at(-1)).toBe('the control socket was deleted; it is open again'),
    PATIENT,
  )
  expect(await ask(path, { do: 'status' })).toMatchObject({ kind: 'answered' })
})

onPosix('a folder that can no longer be read is noted, and ends nothing', async () => {
  const folder = join(temporaryFolder(), 'data')
  mkdirSync(folder)
  const clock = new SteppedClock()
  const { notes } = await listening(inFolder(folder), { clock })
  rmSync(folder, { recursive: true })
  symlinkSync(folder, folder)
  expect(() => clock.advance(10_000)).not.toThrow()
  await vi.waitFor(
    () => expect(notes).toEqual(['the control socket was deleted and can’t be opened again']),
    PATIENT,
  )
})

onPosix('only the owner may open the socket', async () => {
  const path = inFolder()
  await listening(path)
  expect(statSync(path.path).mode & 0o777).toBe(0o600)
})

onPosix('what a killed app left behind is no obstacle', async () => {
  const path = inFolder()
  const first = await listening(path)
  // The socket file as kill -9 leaves it, without a server behind it.
  const { renameSync } = await import('node:fs')
  renameSync(path.path, `${path.path}.kept`)
  await first.server.close()
  renameSync(`${path.path}.kept`, path.path)
  expect((await ask(path, { do: 'status' })).kind).toBe('not-running')
  await listening(path)
  expect((await ask(path, { do: 'status' })).kind).toBe('answered')
})

onPosix('a file in the socket’s place stays, and the app runs without a socket', async () => {
  const path = inFolder()
  writeFileSync(path.path, 'somebody’s')
  const { notes } = await listening(path)
  expect(notes).toEqual([expect.stringContaining("can't open")])
  expect(statSync(path.path).isFile()).toBe(true)
})

onPosix('a folder that others may write to is not trusted, on either side', async () => {
  const folder = join(temporaryFolder(), 'shared')
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  const path: SocketPath = { kind: 'elsewhere', folder, path: join(folder, 'x.sock') }
  const { notes } = await listening(path)
  expect(notes).toHaveLength(1)
  expect((await ask(path, { do: 'status' })).kind).toBe('not-running')
})

onPosix('a folder of its own is made where the data folder’s path is too long', async () => {
  const folder = join(temporaryFolder(), 'own')
  const path: SocketPath = { kind: 'elsewhere', folder, path: join(folder, 'x.sock') }
  await listening(path)
  expect(statSync(folder).mode & 0o077).toBe(0)
  expect((await ask(path, { do: 'status' })).kind).toBe('answered')
})

onPosix.each([
  'nonsense\n',
  '{"do":"format"}\n',
  '{"do":"revoke"}\n',
  '{"do":"status","and":"more"}\n',
  'null\n',
])('%j is refused in a line and revokes nothing', async (bytes) => {
  const path = inFolder()
  const { revoked } = await listening(path)
  expect(JSON.parse(await raw(path.path, bytes))).toMatchObject({ ok: false, code: 'bad-request' })
  expect(revoked).toEqual([])
})

onPosix('a request without end is cut', async () => {
  const path = inFolder()
  // This clock does not move, so no client is cut off for being silent.
  await listening(path, { clock: new SteppedClock() })
  expect(await raw(path.path, 'x'.repeat(2 * MAX_REQUEST_BYTES))).toBe('')
})

onPosix('a request without its end may have 32,768 bytes, and not one more', async () => {
  const path = inFolder()
  await listening(path, { clock: new SteppedClock() })
  expect(MAX_REQUEST_BYTES).toBe(32_768)
  const start = '{"do":"status"}'.padEnd(MAX_REQUEST_BYTES)
  expect(JSON.parse(await raw(path.path, `${start}\n`))).toMatchObject({ ok: true })
  const socket = connect(path.path, () => socket.write(start))
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await ask(path, { do: 'status' })
  expect(socket.destroyed).toBe(false)
  socket.write(' ')
  await once(socket.resume(), 'close')
})

onPosix('a client that says nothing for ten seconds is disconnected', async () => {
  const path = inFolder()
  const clock = new SteppedClock()
  await listening(path, { clock })
  const socket = connect(path.path)
  await once(socket, 'connect')
  await ask(path, { do: 'status' })
  clock.advance(9_999)
  await ask(path, { do: 'status' })
  expect(socket.destroyed).toBe(false)
  clock.advance(1)
  await once(socket.resume(), 'close')
})

onPosix('a revocation may take longer than a silent client is waited for', async () => {
  const path = inFolder()
  const clock = new SteppedClock()
  const service = Promise.withResolvers<Outcome>()
  const { revoked } = await listening(path, { clock, outcome: service.promise })
  const answer = ask(path, { do: 'revoke', profile: 'simulator' })
  await vi.waitFor(() => expect(revoked).toHaveLength(1), PATIENT)
  clock.advance(60_000)
  service.resolve({ ok: true })
  expect(await answer).toMatchObject({ kind: 'answered', answer: { ok: true } })
})

onPosix('200 commands in one instant are each answered', async () => {
  const path = inFolder()
  await listening(path)
  const sockets = Array.from({ length: 200 }, () => connect(path.path))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const answers = sockets.map(
    (socket) =>
      new Promise<string>((resolve) => {
        let text = ''
        socket.on('data', (part) => {
          text += String(part)
        })
        socket.on('error', () => {})
        socket.on('close', () => resolve(text))
      }),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  // Waits until the server has accepted all connections.
  for (let turn = 0; turn < 500; turn += 1) await new Promise(setImmediate)
  for (const socket of sockets) socket.write('{"do":"status"}\n')
  expect((await Promise.all(answers)).filter((text) => text.startsWith('{"ok":true'))).toHaveLength(200)
})

onPosix('connections that say nothing, in whatever number, keep no command out', async () => {
  const path = inFolder()
  await listening(path)
  const silent = await silentSockets(MAX_CONNECTIONS + 44, path)
  expect((await ask(path, { do: 'status' })).kind).toBe('answered')
  expect(silent.open).toBeLessThanOrEqual(MAX_CONNECTIONS)
})

onPosix(
  'a revocation that waits for the service is answered, however many others came meanwhile',
  async () => {
    const path = inFolder()
    const service = Promise.withResolvers<Outcome>()
    const { revoked } = await listening(path, { outcome: service.promise })
    const answer = ask(path, { do: 'revoke', profile: 'simulator' })
    await vi.waitFor(() => expect(revoked).toHaveLength(1), PATIENT)
    await silentSockets(MAX_CONNECTIONS + 44, path)
    service.resolve({ ok: true })
    expect(await answer).toEqual({ kind: 'answered', answer: { ok: true, revoked: 'simulator' } })
  },
)

/** A client that asks for the status, and is slow from then on. */
async function slowAsker(path: SocketPath) {
  const socket = connect({ path: path.path, allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.write('{"do":"status"}\n')
  await once(socket, 'readable')
  return socket
}

onPosix('an answer that is not read to its end is given up in time', async () => {
  const path = inFolder()
  const clock = new SteppedClock()
  await listening(path, { clock, snapshots: 300 })
  const socket = await slowAsker(path)
  clock.advance(10_000)
  let text = ''
  socket.on('data', (part) => {
    text += String(part)
  })
  await once(socket, 'end')
  expect(text).not.toMatch(/\n$/)
})

onPosix('somebody who stays after the answer is left in time', async () => {
  const path = inFolder()
  const clock = new SteppedClock()
  await listening(path, { clock })
  const socket = await slowAsker(path)
  const ended = once(socket.resume(), 'end')
  await ended
  expect(socket.writable).toBe(true)
  clock.advance(10_000)
  await vi.waitFor(() => {
    socket.write('more')
    expect(socket.destroyed).toBe(true)
  }, PATIENT)
})

onPosix('clients that stay after their answer are disconnected in favour of newer ones', async () => {
  const path = inFolder()
  await listening(path, { clock: new SteppedClock() })
  const stayed: Socket[] = []
  for (let i = 0; i < MAX_CONNECTIONS + 4; i += 1) {
    const socket = await slowAsker(path)
    await once(socket.resume(), 'end')
    stayed.push(socket)
  }
  await vi.waitFor(() => {
    for (const socket of stayed) if (!socket.destroyed) socket.write('more')
    expect(stayed.filter(({ destroyed }) => !destroyed)).toHaveLength(MAX_CONNECTIONS)
  }, PATIENT)
})

onPosix('closing ends with the connections that are open', async () => {
  const path = inFolder()
  const { server } = await listening(path)
  const silent = raw(path.path, '')
  await ask(path, { do: 'status' })
  await server.close()
  expect(await silent).toBe('')
  expect((await ask(path, { do: 'status' })).kind).toBe('not-running')
})

onPosix('a request that arrives byte by byte is read as it was written', async () => {
  const path = inFolder()
  const { revoked } = await listening(path)
  const socket = connect(path.path)
  onTestFinished(() => void socket.destroy())
  socket.setNoDelay(true)
  const answered = once(socket, 'data')
  for (const byte of Buffer.from('{"do":"revoke","profile":"clé-🔑"}\n')) {
    await new Promise((resolve) => socket.write(Buffer.of(byte), resolve))
    await new Promise(setImmediate)
  }
  await answered
  expect(revoked).toEqual(['clé-🔑'])
})

onPosix('a failure within the app is logged with its cause, and reported without it', async () => {
  const path = inFolder()
  const cause = new Error('a bug with CANARY in it')
  const outcome = Promise.reject(cause)
  outcome.catch(() => {}) // the server asks for it later
  const { noted } = await listening(path, { outcome })
  const asked = await ask(path, { do: 'revoke', profile: 'simulator' })
  expect(asked).toMatchObject({ kind: 'answered', answer: { ok: false, code: 'failed' } })
  expect(JSON.stringify(asked)).not.toContain('CANARY')
  expect(noted).toEqual([{ cause }])
})

onPosix('without a gateway its requests are answered in a line', async () => {
  const path = inFolder()
  await listening(path)
  expect(await ask(path, { do: 'gateway' })).toEqual({
    kind: 'answered',
    answer: {
      ok: false,
      code: 'no-gateway',
      message: 'The running Headroom has no gateway. Use headroom start.',
    },
  })
})

onPosix('each request to the gateway is answered, a refused one with its reason', async () => {
  const path = inFolder()
  const asked: unknown[] = []
  const summary = { state: 'off' }
  const refused = { ok: false, why: 'not like this' }
  const refusing = {
    summary,
    programs: () => [],
    turnOn: async (port?: number) => {
      asked.push(port)
      return port === 1 ? refused : { ok: true }
    },
    turnOff: async () => refused,
    add: () => refused,
    cut: (name: string) => (name === 'known' ? { ok: true } : refused),
    pause: (name: string) => (name === 'known' ? { ok: true, until: 1 } : refused),
    resume: (name: string) => (name === 'known' ? { ok: true } : refused),
  } as unknown as NonNullable<Parameters<typeof startControlServer>[0]['gateway']>
  await listening(path, { gateway: refusing })
  const failed = { kind: 'answered', answer: { ok: false, code: 'failed', message: 'not like this' } }
  const fine = (answer: object) => ({
    kind: 'answered',
    answer: expect.objectContaining({ ok: true, ...answer }),
  })
  expect(await ask(path, { do: 'gateway' })).toEqual(fine({ programs: [], connected: ['simulator'] }))
  expect(asked).toEqual([])
  expect(await ask(path, { do: 'gateway', turn: 'on', port: 1 })).toEqual(failed)
  await ask(path, { do: 'gateway', turn: 'on' })
  expect(asked).toEqual([1, undefined])
  expect(await ask(path, { do: 'gateway', turn: 'off' })).toEqual(failed)
  expect(await ask(path, { do: 'add-program', name: 'one', class: 'normal', weight: 1 })).toEqual(failed)
  expect(await ask(path, { do: 'cut-program', name: 'other' })).toEqual(failed)
  expect(await ask(path, { do: 'pause-program', name: 'other' })).toEqual(failed)
  expect(await ask(path, { do: 'resume-program', name: 'other' })).toEqual(failed)
  expect(await ask(path, { do: 'pause-program', name: 'known' })).toEqual(fine({ paused: 'known', until: 1 }))
  expect(await ask(path, { do: 'resume-program', name: 'known' })).toEqual(fine({ resumed: 'known' }))
  expect(await ask(path, { do: 'cut-program', name: 'known' })).toEqual(fine({ cut: 'known' }))
})

onPosix('a program is not added for a client that has disconnected', async () => {
  const path = inFolder()
  const added: string[] = []
  const add = ({ name }: { readonly name: string }) => {
    added.push(name)
    return { ok: false, why: 'not now' }
  }
  const gateway = { add } as unknown as NonNullable<Setting['gateway']>
  await listening(path, { gateway })
  const request = { do: 'add-program', class: 'normal', weight: 1 } as const
  const gone = connect(path.path)
  await once(gone, 'connect')
  // The client sends and closes before the server reads, as if the server's process was suspended.
  gone.write(`${JSON.stringify({ ...request, name: 'gone' })}\n`)
  gone.resume().end()
  await once(gone, 'close')
  await ask(path, { ...request, name: 'present' })
  expect(added).toEqual(['present'])
})

onPosix('a socket of another user is recognised by its owner, not by its folder', async () => {
  const path = join(temporaryFolder(), 'control.sock')
  writeFileSync(path, '')
  const asked = await askRunning(
    { do: 'status' },
    { clock: nodeClock, path: { kind: 'socket', path }, userId: (userId ?? 0) + 1 },
  )
  expect(asked).toEqual({ kind: 'failed', why: 'its socket belongs to another user' })
})

test('requests about desks are performed by the desk’s commands, and answered as they were', async () => {
  const path = inFolder()
  const performed: unknown[] = []
  const invited = (request: unknown) => {
    performed.push(request)
    return { ok: true as const, invitation: 'the-word' }
  }
  const done = (request: unknown) => {
    performed.push(request)
    return { ok: true as const }
  }
  const desk = {
    createDesk: invited,
    joinDesk: done,
    deskInvitation: invited,
    leaveDesk: done,
    rotateDesk: invited,
  }
  await listening(path, { desk })
  const answerTo = async (request: Parameters<typeof askRunning>[0]) => {
    const asked = await ask(path, request)
    return asked.kind === 'answered' ? asked.answer : asked
  }
  const profile = 'key-1'
  const servers = ['nats://h:4222']
  const invitation = { ok: true, invitation: 'the-word' }
  expect(await answerTo({ do: 'create-desk', profile, servers, name: 'N' })).toEqual(invitation)
  expect(await answerTo({ do: 'join-desk', profile, invitation: 'x', credentials: 'c' })).toEqual({
    ok: true,
    joined: profile,
  })
  expect(await answerTo({ do: 'desk-invitation', profile })).toEqual(invitation)
  expect(await answerTo({ do: 'rotate-desk', profile })).toEqual(invitation)
  expect(await answerTo({ do: 'leave-desk', profile })).toEqual({ ok: true, left: profile })
  expect(performed).toEqual([
    { profile, servers, name: 'N' },
    { profile, invitation: 'x', credentials: 'c' },
    { profile },
    { profile },
    { profile },
  ])
})

test('a refusal of a desk is answered with its code, and a host without desks says so', async () => {
  const path = inFolder()
  const { server } = await listening(path, { desk: NO_DESKS.handlers })
  for (const what of ['desk-invitation', 'leave-desk', 'rotate-desk'] as const)
    expect(await ask(path, { do: what, profile: 'key-1' })).toMatchObject({
      answer: { ok: false, code: 'desk', message: 'There are no desks here.' },
    })
  expect(await ask(path, { do: 'join-desk', profile: 'key-1', invitation: 'x' })).toMatchObject({
    answer: { code: 'desk' },
  })
  await server.close()
  const other = inFolder()
  await listening(other)
  expect(await ask(other, { do: 'rotate-desk', profile: 'key-1' })).toMatchObject({
    answer: { code: 'no-desks' },
  })
})
