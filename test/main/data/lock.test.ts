import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { lockDataFolder } from '../../../main/data/lock.ts'
import { temporaryFolder } from './temporary-folder.ts'

const ME = { pid: process.pid, host: 'terminal' } as const
const SOURCE = new URL('../../../main/data/lock.ts', import.meta.url).href

/** Another process that takes the lock, says what came of it, and stays. */
async function otherProcess(
  folder: string,
): Promise<{ readonly said: string; readonly child: ChildProcess }> {
  const script = `
    const { lockDataFolder } = await import(${JSON.stringify(SOURCE)})
    const attempt = lockDataFolder(${JSON.stringify(folder)}, { pid: process.pid, host: 'browser' })
    console.log(attempt.kind === 'held' ? 'held' : attempt.line)
    process.stdin.resume()
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = await once(createInterface({ input: child.stdout }), 'line')
  return { said: String(said), child }
}

test('a folder has one owner, and the second is told who', async () => {
  const folder = temporaryFolder()
  const { said, child } = await otherProcess(folder)
  expect(said).toBe('held')
  const attempt = lockDataFolder(folder, ME)
  expect(attempt).toMatchObject({ kind: 'busy', holder: { pid: child.pid, host: 'browser' } })
  expect(attempt).toMatchObject({ line: expect.stringContaining(`browser, pid ${child.pid}`) })
})

test('a lock dies with its process, however that ends', async () => {
  const folder = temporaryFolder()
  const { child } = await otherProcess(folder)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const attempt = lockDataFolder(folder, ME)
  expect(attempt.kind).toBe('held')
  if (attempt.kind === 'held') attempt.release()
})

test('a released lock is free for another process, and releasing twice is harmless', async () => {
  const folder = temporaryFolder()
  const attempt = lockDataFolder(folder, ME)
  if (attempt.kind !== 'held') throw new Error(attempt.line)
  attempt.release()
  attempt.release()
  expect(existsSync(join(folder, 'lock.json'))).toBe(false)
  expect((await otherProcess(folder)).said).toBe('held')
})

test.skipIf(process.platform === 'win32')('nobody else can read the lock, and so keep its owner out', () => {
  const folder = temporaryFolder()
  const attempt = lockDataFolder(folder, ME)
  expect(statSync(join(folder, 'lock.db')).mode & 0o077).toBe(0)
  if (attempt.kind === 'held') attempt.release()
})

test('a second attempt in the same process does not end the lock of the first', async () => {
  const folder = temporaryFolder()
  expect(lockDataFolder(folder, ME).kind).toBe('held')
  expect(lockDataFolder(folder, ME).kind).toBe('busy')
  expect((await otherProcess(folder)).said).toContain('another Headroom')
})

test('the same process cannot hold a folder twice', () => {
  const folder = temporaryFolder()
  const first = lockDataFolder(folder, ME)
  expect(lockDataFolder(folder, ME)).toMatchObject({ kind: 'busy', holder: ME })
  if (first.kind === 'held') first.release()
})

test('a damaged side file still gives a line, without a name', () => {
  const folder = temporaryFolder()
  const first = lockDataFolder(folder, ME)
  writeFileSync(join(folder, 'lock.json'), '{"pid":"x"')
  const second = lockDataFolder(folder, ME)
  expect(second).toMatchObject({ kind: 'busy', line: expect.stringMatching(/^another Headroom is using/) })
  expect(second).not.toHaveProperty('holder')
  if (first.kind === 'held') first.release()
})

test('a lock file that is no database holds nothing and is replaced', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'lock.db'), 'x'.repeat(5000))
  const attempt = lockDataFolder(folder, ME)
  expect(attempt.kind).toBe('held')
  expect(JSON.parse(readFileSync(join(folder, 'lock.json'), 'utf8'))).toEqual(ME)
  if (attempt.kind === 'held') attempt.release()
})

test('a folder that is not there is unusable, not busy', () => {
  expect(lockDataFolder(join(temporaryFolder(), 'nowhere'), ME).kind).toBe('unusable')
})
