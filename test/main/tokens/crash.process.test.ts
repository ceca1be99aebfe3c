import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { tokensOf } from '../vault/fixtures.ts'
import { openVault } from '../vault/opened-vault.ts'
import { startRotatingServer } from './rotating-server.ts'

/** The first process that ends by itself fills this cache. The next ones start in a third of the time. */
const compileCache = mkdtempSync(join(tmpdir(), 'headroom-compiled-'))
afterAll(() => rmSync(compileCache, { recursive: true, force: true }))

const SCRIPT = fileURLToPath(new URL('keeper-process.ts', import.meta.url))

interface Run {
  readonly child: ChildProcess
  readonly lines: string[]
  /** Its result: the access token, or that the folder is in use, or `killed`. */
  readonly said: Promise<string>
  readonly closed: Promise<void>
  /** Resolves once it has said this line. */
  says(line: string): Promise<void>
  end(): Promise<void>
}

function run(folder: string, authUrl: string, dieAfter = 'nothing'): Run {
  const child = spawn(process.execPath, [SCRIPT, folder, authUrl, dieAfter], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  const waiting: (() => void)[] = []
  let rest = ''
  const closed = once(child, 'close').then(() => {})
  const said = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
      const last = lines.findLast((line) => line.startsWith('access') || line === 'busy')
      if (last !== undefined) resolve(last)
      for (const wait of waiting) wait()
    })
    child.on('close', () => resolve('killed'))
  })
  return {
    child,
    lines,
    said,
    closed,
    says: (line) =>
      new Promise((resolve) => {
        const check = () => lines.includes(line) && resolve()
        waiting.push(check)
        check()
      }),
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.stdin.end()
      await once(child, 'close')
    },
  }
}

async function storedToken(folder: string): Promise<string | undefined> {
  const handle = await openVault(folder)
  const reading = tokensOf(handle)
  handle.close()
  return reading.kind === 'found' ? reading.stored.token.refreshToken : undefined
}

test.each(['intent', 'sent', 'received', 'committed', 'handed-out'])(
  'after a kill right after "%s", the next start needs at most one more request',
  async (step) => {
    const folder = temporaryFolder()
    const server = await startRotatingServer()
    server.overlap = 1
    const first = run(folder, server.origin, step)
    if (step === 'sent') {
      // The service has rotated the token, but the process that gets the response is dead.
      server.afterRotation = () => first.child.kill('SIGKILL')
    }
    expect(await first.said).toBe('killed')
    server.afterRotation = () => false
    const sentBefore = server.sent.length

    const second = run(folder, server.origin)
    expect(await second.said).toMatch(/^access a-\d$/)
    await second.end()
    expect(second.lines).not.toContain('event sign-in-required')
    // One request per start, whatever the previous process had done.
    expect(server.sent.length - sentBefore).toBe(1)
    expect(await storedToken(folder)).toBe(server.current())
    proves('T6', { level: 3, cases: 1 })
  },
)

test('outside the overlap the same crash ends in one correct rejection and no loop', async () => {
  const folder = temporaryFolder()
  const server = await startRotatingServer()
  const first = run(folder, server.origin, 'received')
  expect(await first.said).toBe('killed')
  const second = run(folder, server.origin)
  expect(await second.said).toBe('access sign-in-required')
  await second.end()
  expect(second.lines.filter((line) => line === 'event sign-in-required')).toHaveLength(1)
  expect(server.sent).toEqual(['r-0', 'r-0'])
  const third = run(folder, server.origin)
  expect(await third.said).toBe('access sign-in-required')
  await third.end()
  expect(server.sent).toHaveLength(2)
  proves('T2', { level: 3, cases: 1 })
})

test('of 12 processes on one folder one owns it, and its 50 callers make one request', async () => {
  const folder = temporaryFolder()
  const server = await startRotatingServer()
  const runs = Array.from({ length: 12 }, () => run(folder, server.origin))
  const said = await Promise.all(runs.map((one) => one.said))
  expect(said.filter((line) => line === 'busy')).toHaveLength(11)
  expect(said.filter((line) => line === 'access a-1')).toHaveLength(1)
  await Promise.all(runs.map((one) => one.end()))
  expect(server.sent).toEqual(['r-0'])
  expect(await storedToken(folder)).toBe('r-1')
  proves('T5', { level: 3, cases: runs.length })
}, 60_000)

test('a revocation that got 503 is retried by the next process, and shows "revoked" only after a 200', async () => {
  const folder = temporaryFolder()
  const server = await startRotatingServer()
  server.revokeStatus = 503
  const first = run(folder, server.origin, 'revoke')
  await first.says('revoke unconfirmed')
  expect(first.lines).toContain('event revoke-unconfirmed')
  first.child.kill('SIGKILL')
  const second = run(folder, server.origin)
  expect(await second.said).toBe('access revoke-unconfirmed')
  await second.says('event revoke-unconfirmed')
  expect(second.lines).not.toContain('event revoked')
  await second.end()
  server.revokeStatus = 200
  const third = run(folder, server.origin)
  await third.says('event revoked')
  await third.end()
  const revokes = server.revokes.length
  expect(new Set(server.revokes)).toEqual(new Set([server.current()]))
  const fourth = run(folder, server.origin)
  expect(await fourth.said).toBe('access revoked')
  await fourth.end()
  expect(server.revokes).toHaveLength(revokes)
  // After the request to revoke, no token was used any more.
  expect(server.sent).toEqual(['r-0'])
  proves('R1', { level: 3, cases: server.revokes.length })
}, 60_000)

test('after a kill between requesting and sending a revocation, the next process sends it', async () => {
  const folder = temporaryFolder()
  const server = await startRotatingServer()
  const first = run(folder, server.origin, 'revocation-stored')
  await first.closed
  expect(server.revokes).toEqual([])
  const second = run(folder, server.origin)
  await second.says('event revoked')
  await second.end()
  expect(server.revokes).toEqual([server.current()])
  proves('R1', { level: 3, cases: 1 })
}, 60_000)
