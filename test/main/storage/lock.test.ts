import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { lockDataFolder } from '../../../main/storage/lock.ts'
import { temporaryFolder } from './temporary-folder.ts'

const ME = { pid: process.pid, host: 'terminal' } as const
const SOURCE = new URL('../../../main/storage/lock.ts', import.meta.url).href

/** Another process that tries to take the lock, prints the result, and keeps running. */
async function otherProcess(
  folder: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly said: string; readonly child: ChildProcess }> {
  const script = `
    const { lockDataFolder } = await import(${JSON.stringify(SOURCE)})
    const attempt = lockDataFolder(${JSON.stringify(folder)}, { pid: process.pid, host: 'browser' })
    console.log(attempt.kind === 'held' ? 'held' : attempt.line)
    process.stdin.resume()
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = await once(createInterface({ input: child.stdout }), 'line')
  return { said: String(said), child }
}

test('a folder has one owner, and a second process learns who', async () => {
  const folder = temporaryFolder()
  const { said, child } = await otherProcess(folder)
  expect(said).toBe('held')
  const attempt = lockDataFolder(folder, ME)
  expect(attempt).toMatchObject({ kind: 'busy', holder: { pid: child.pid, host: 'browser' } })
  expect(attempt).toMatchObject({ line: expect.stringContaining(`browser, pid ${child.pid}`) })
})

test('a lock ends with its process, however that ends', async () => {
  const folder = temporaryFolder()
  const { child } = await otherProcess(folder)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const attempt = lockDataFolder(folder, ME)
  expect(attempt.kind).toBe('held')
  if (attempt.kind === 'held') attempt.release()
})

test.skipIf(process.platform === 'win32')(
  'a folder stays locked after its lock file was deleted, until its owner ends',
  async () => {
    const folder = temporaryFolder()
    const { child } = await otherProcess(folder)
    rmSync(join(folder, 'lock.db'))
    for (let attempts = 0; attempts < 2; attempts += 1)
      expect(lockDataFolder(folder, ME)).toMatchObject({
        kind: 'busy',
        line: `another Headroom (browser, pid ${child.pid}) is using ${folder}; stop it, or choose another folder with --data`,
      })
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(lockDataFolder(folder, ME).kind).toBe('held')
  },
)

test('a lock lasts although nothing refers to it', async () => {
  const folder = temporaryFolder()
  const script = `
    const { lockDataFolder } = await import(${JSON.stringify(SOURCE)})
    lockDataFolder(${JSON.stringify(folder)}, { pid: process.pid, host: 'browser' })
    for (let turns = 0; turns < 3; turns += 1) {
      await new Promise(setImmediate)
      globalThis.gc()
    }
    console.log('collected')
    process.stdin.resume()
  `
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(createInterface({ input: child.stdout }), 'line')
  expect(lockDataFolder(folder, ME).kind).toBe('busy')
})

test('a lock held briefly is waited for', async () => {
  const folder = temporaryFolder()
  const brief = lockDataFolder(folder, { ...ME, isBrief: true })
  if (brief.kind !== 'held') throw new Error(brief.line)
  const script = `
    const { writeSync } = await import('node:fs')
    const { lockDataFolder } = await import(${JSON.stringify(SOURCE)})
    const { wait } = Atomics
    Atomics.wait = (...args) => {
      writeSync(1, 'waits\\n')
      return wait(...args)
    }
    writeSync(1, lockDataFolder(${JSON.stringify(folder)}, { pid: process.pid, host: 'browser' }).kind + '\\n')
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line)
    if (line === 'waits') brief.release()
  }
  expect(said).toContain('waits')
  expect(said.at(-1)).toBe('held')
})

test('a copy of a folder in use is free', async () => {
  const folder = temporaryFolder()
  await otherProcess(folder)
  const copy = join(temporaryFolder(), 'copy')
  cpSync(folder, copy, { recursive: true })
  const attempt = lockDataFolder(copy, ME)
  expect(attempt.kind).toBe('held')
  if (attempt.kind === 'held') attempt.release()
})

test.skipIf(process.platform !== 'linux')(
  'a folder without its lock file is free once its owner’s id belongs to a later process',
  async () => {
    const folder = temporaryFolder()
    const { child } = await otherProcess(folder)
    const left = JSON.parse(readFileSync(join(folder, 'lock.json'), 'utf8'))
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(join(folder, 'lock.db'))
    writeFileSync(join(folder, 'in-the-place-of-its-inode'), '')
    writeFileSync(join(folder, 'lock.json'), JSON.stringify({ ...left, pid: process.ppid }))
    const attempt = lockDataFolder(folder, ME)
    expect(attempt.kind).toBe('held')
    if (attempt.kind === 'held') attempt.release()
  },
)

test('a released lock is free for another process, and releasing twice is harmless', async () => {
  const folder = temporaryFolder()
  const attempt = lockDataFolder(folder, ME)
  if (attempt.kind !== 'held') throw new Error(attempt.line)
  attempt.release()
  attempt.release()
  expect(existsSync(join(folder, 'lock.json'))).toBe(false)
  expect((await otherProcess(folder)).said).toBe('held')
})

test.skipIf(process.platform === 'win32')('no other user can read the lock, and so block its owner', () => {
  const folder = temporaryFolder()
  const attempt = lockDataFolder(folder, ME)
  expect(statSync(join(folder, 'lock.db')).mode & 0o077).toBe(0)
  if (attempt.kind === 'held') attempt.release()
})

test('a second attempt in the same process does not release the lock of the first', async () => {
  const folder = temporaryFolder()
  expect(lockDataFolder(folder, ME).kind).toBe('held')
  expect(lockDataFolder(folder, ME).kind).toBe('busy')
  expect((await otherProcess(folder)).said).toContain('another Headroom')
})

test('the same process cannot lock a folder twice', () => {
  const folder = temporaryFolder()
  const first = lockDataFolder(folder, ME)
  expect(lockDataFolder(folder, ME)).toMatchObject({ kind: 'busy', holder: ME })
  if (first.kind === 'held') first.release()
})

test('a folder in which a new file cannot be locked either is reported as without file locks', () => {
  const folder = temporaryFolder()
  const lock = lockDataFolder(folder, ME)
  const trial = new DatabaseSync(join(folder, `lock-trial-${process.pid}.db`))
  trial.exec('BEGIN EXCLUSIVE')
  expect(lockDataFolder(folder, ME)).toEqual({
    kind: 'unusable',
    line: expect.stringContaining(`can't lock ${folder}: file locks don't work there`),
  })
  trial.close()
  if (lock.kind === 'held') lock.release()
})

test('a damaged side file still produces a line, without a name', () => {
  const folder = temporaryFolder()
  const first = lockDataFolder(folder, ME)
  writeFileSync(join(folder, 'lock.json'), '{"pid":"x"')
  const second = lockDataFolder(folder, ME)
  expect(second).toMatchObject({ kind: 'busy', line: expect.stringMatching(/^another Headroom is using/) })
  expect(second).not.toHaveProperty('holder')
  if (first.kind === 'held') first.release()
})

test.each([
  '{"pid":0,"host":"browser"}',
  '{"pid":1.5,"host":"browser"}',
  '{"pid":1,"host":"phone"}',
  '{}',
  '5',
])('the side file %s names no process', (text) => {
  const folder = temporaryFolder()
  const lock = lockDataFolder(folder, ME)
  writeFileSync(join(folder, 'lock.json'), text)
  expect(lockDataFolder(folder, ME)).not.toHaveProperty('holder')
  if (lock.kind === 'held') lock.release()
})

test('a folder that does not allow a side file is unusable, and is not left locked', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'lock.json.new'))
  expect(lockDataFolder(folder, ME)).toEqual({
    kind: 'unusable',
    line: `can't lock ${folder}: a folder is in the way`,
  })
  rmdirSync(join(folder, 'lock.json.new'))
  const lock = lockDataFolder(folder, ME)
  expect(lock.kind).toBe('held')
  if (lock.kind === 'held') lock.release()
})

test('a lock file that is not a database locks nothing and is replaced', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'lock.db'), 'x'.repeat(5000))
  const attempt = lockDataFolder(folder, ME)
  expect(attempt.kind).toBe('held')
  expect(JSON.parse(readFileSync(join(folder, 'lock.json'), 'utf8'))).toMatchObject(ME)
  if (attempt.kind === 'held') attempt.release()
})

test('a lock file that can’t be opened is a reason in plain words', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'lock.db'))
  const line = `can't lock ${folder}: opening the file failed`
  expect(lockDataFolder(folder, ME)).toEqual({ kind: 'unusable', line })
})

test('a missing folder is unusable, not busy', () => {
  expect(lockDataFolder(join(temporaryFolder(), 'nowhere'), ME).kind).toBe('unusable')
})

/**
 * What a process reports about the folder's lock if the system's lock functions return `answer`. Needs a C
 * compiler.
 */
function lockedWith(answer: 'return 0;' | 'errno = ENOLCK; return -1;' | 'errno = EINVAL; return -1;') {
  const folder = temporaryFolder()
  writeFileSync(
    join(folder, 'locks.c'),
    `
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <stdarg.h>
    static int answer(int fd, int command, va_list more) {
      static int (*real)(int, int, ...);
      if (!real) real = dlsym(RTLD_NEXT, "fcntl64");
      void *argument = va_arg(more, void *);
      if (command == F_SETLK || command == F_SETLKW) { ${answer} }
      return real(fd, command, argument);
    }
    int fcntl(int fd, int command, ...) { va_list more; va_start(more, command); return answer(fd, command, more); }
    int fcntl64(int fd, int command, ...) { va_list more; va_start(more, command); return answer(fd, command, more); }
    `,
  )
  const built = spawnSync('cc', ['-shared', '-fPIC', '-o', 'locks.so', 'locks.c', '-ldl'], { cwd: folder })
  return built.status === 0 ? { ...process.env, LD_PRELOAD: join(folder, 'locks.so') } : undefined
}

const canBreakLocks = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0

test.skipIf(!canBreakLocks).each([
  ['refuses every lock (ENOLCK)', 'errno = ENOLCK; return -1;', 0],
  ['knows no locks (EINVAL)', 'errno = EINVAL; return -1;', 0],
  ['grants every lock to everyone', 'return 0;', 1],
] as const)('a file system that %s is reported as such', async (_, answer, before) => {
  const folder = temporaryFolder()
  const env = lockedWith(answer)
  expect(env).toBeDefined()
  for (let owners = 0; owners < before; owners += 1)
    expect((await otherProcess(folder, env)).said).toBe('held')
  const { said } = await otherProcess(folder, env)
  expect(said).toBe(
    `can't lock ${folder}: file locks don't work there, perhaps because it is a network folder; choose a folder on a local disk with --data`,
  )
  expect(readdirSync(folder).filter((name) => name.startsWith('lock-trial'))).toEqual([])
})

test('a side file of a live process without the lock is no owner, because its id was reused', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'lock.json'), JSON.stringify({ pid: process.ppid, host: 'browser' }))
  const attempt = lockDataFolder(folder, ME)
  expect(attempt.kind).toBe('held')
  if (attempt.kind === 'held') attempt.release()
})
