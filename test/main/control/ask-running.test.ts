import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { askRunning } from '../../../main/control/ask-running.ts'
import { type ControlRequest, MAX_ANSWER_BYTES } from '../../../main/control/protocol.ts'
import type { SocketPath } from '../../../main/control/socket-path.ts'
import { SteppedClock } from '../stepped-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const onPosix = test.skipIf(process.platform === 'win32')
const userId = process.getuid?.()
const STATUS: ControlRequest = { do: 'status' }

const inFolder = (folder = temporaryFolder()): SocketPath => ({
  kind: 'socket',
  path: join(folder, 'control.sock'),
})

/** A server that listens in place of the app, and calls `serve` with each connection. */
async function standIn(serve: (socket: Socket) => void): Promise<SocketPath> {
  const path = inFolder()
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    serve(socket)
  })
  server.listen(path.path)
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return path
}

const ask = (path: SocketPath, request: ControlRequest = STATUS, clock = new SteppedClock()) =>
  askRunning(request, { clock, path, userId })

onPosix('the request is one line of JSON, and an answer may come in parts', async () => {
  const heard: string[] = []
  const path = await standIn((socket) =>
    socket.once('data', (bytes) => {
      heard.push(String(bytes))
      socket.write('{"ok":true,')
      setImmediate(() => socket.end('"revoked":"é"}\n'))
    }),
  )
  const clock = new SteppedClock()
  const asked = await ask(path, { do: 'revoke', profile: 'é' }, clock)
  expect(asked).toEqual({ kind: 'answered', answer: { ok: true, revoked: 'é' } })
  expect([heard, clock.pending]).toEqual([['{"do":"revoke","profile":"é"}\n'], 0])
})

onPosix('a response that can’t be parsed is reported as unreadable', async () => {
  const path = await standIn((socket) => socket.end('hello\n'))
  expect(await ask(path)).toEqual({ kind: 'failed', why: 'its response is unreadable' })
})

onPosix('an answer without end is given up beyond its limit', async () => {
  const path = await standIn((socket) => {
    const part = Buffer.alloc(1 << 20, 'x')
    const more = () => {
      while (!socket.destroyed && socket.write(part));
    }
    socket.on('drain', more)
    more()
  })
  expect(MAX_ANSWER_BYTES).toBe(16_000_000)
  expect(await ask(path)).toEqual({ kind: 'failed', why: 'its response doesn’t end' })
})

onPosix.each<[ControlRequest, number]>([
  [STATUS, 5_000],
  [{ do: 'revoke', profile: 'key-1' }, 60_000],
  [{ do: 'gateway' }, 15_000],
  [{ do: 'cut-program', name: 'bot' }, 5_000],
  [{ do: 'pause-program', name: 'bot' }, 5_000],
])('a silent app is waited for as long as %j may take: %d ms', async (request, timeoutMs) => {
  const path = await standIn(() => {})
  const clock = new SteppedClock()
  let isDone = false
  const asked = ask(path, request, clock).finally(() => {
    isDone = true
  })
  clock.advance(timeoutMs - 1)
  await new Promise(setImmediate)
  expect(isDone).toBe(false)
  clock.advance(1)
  expect(await asked).toEqual({ kind: 'failed', why: 'it timed out' })
})

onPosix('without a socket, or with a file in its place, no app is running', async () => {
  const path = inFolder()
  expect(await ask(path)).toEqual({ kind: 'not-running' })
  writeFileSync(path.path, '')
  expect(await ask(path)).toEqual({ kind: 'not-running' })
})

onPosix('a socket in a folder that others may write to is not trusted', async () => {
  const folder = join(temporaryFolder(), 'shared')
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  const path = inFolder(folder)
  writeFileSync(path.path, '')
  expect(await ask(path)).toMatchObject({
    kind: 'failed',
    why: expect.stringContaining(`its socket in ${folder} is not trusted: other users can write to it`),
  })
})

onPosix('a socket whose path is unreadable is reported with the reason', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(await ask({ kind: 'socket', path: join(file, 'control.sock') })).toEqual({
    kind: 'failed',
    why: 'its socket is unreadable: a file is in the way',
  })
})

onPosix('where users have no numbers, a socket of any owner is trusted', async () => {
  const path = await standIn((socket) => socket.end('{"ok":true,"cut":"bot"}\n'))
  chmodSync(join(path.path, '..'), 0o777)
  const asked = await askRunning(STATUS, { clock: new SteppedClock(), path, userId: undefined })
  expect(asked).toEqual({ kind: 'answered', answer: { ok: true, cut: 'bot' } })
})
