import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { cannotProve, proves } from '../../proof/proves.ts'
import { runNode } from '../hosts/terminal/run-node.ts'
import { AS_OTHER_USER, isRoot, OTHER_USER } from './other-user.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** PROMISES D7 against a process of another user of this machine, which only root can start. */

const HEADROOM = fileURLToPath(new URL('../../../main/hosts/terminal/headroom.ts', import.meta.url))
const source = (path: string) => JSON.stringify(new URL(`../../../main/${path}`, import.meta.url).href)
if (!isRoot) cannotProve('D7', 3, 'only root can start a process of another user')
const withOthers = test.skipIf(!isRoot)

/** Runs a script as another user of the machine. Returns the lines that it prints. */
function asOther(script: string) {
  const child = spawn(process.execPath, [...AS_OTHER_USER, '--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: '/',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

/** Another user can look into it. */
function listedFolder(): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  return folder
}

const ROUNDS = 60

withOthers(
  'while files are made again and again, another user who tries all the time reads no byte of any',
  async () => {
    const folder = listedFolder()
    const { lines, child } = asOther(`
      import { openSync, closeSync, readdirSync } from 'node:fs'
      import { setImmediate } from 'node:timers/promises'
      const names = ['vault.db.new', 'vault.db', 'vault.db.new-wal', 'history.db', 'history.db-wal', 'headroom.log',
        'preferences.json.new', 'preferences.json', 'lock.db', 'lock.json.new', 'lock.json']
      const read = new Set()
      let refused = 0
      let ends = false
      process.stdin.on('data', () => { ends = true })
      console.log('ready')
      while (!ends) {
        for (let turn = 0; turn < 200; turn += 1) for (const name of names) {
          try { closeSync(openSync(${JSON.stringify(folder)} + '/' + name, 'r')); read.add(name) }
          catch (error) { if (error.code === 'EACCES') refused += 1 }
        }
        await setImmediate()
      }
      console.log(JSON.stringify({ read: [...read], refused }))
      process.exit()
    `)
    expect((await lines.next()).value).toBe('ready')
    // The umask is 0, so only the modes of the files themselves protect them.
    const writer = runNode([
      '--input-type=module',
      '--eval',
      `
      import { rmSync, readdirSync } from 'node:fs'
      const { lockDataFolder } = await import(${source('storage/lock.ts')})
      const { openVaultFile } = await import(${source('vault/vault-file.ts')})
      const { openHistoryFile } = await import(${source('history/replaceable-file.ts')})
      const { Preferences } = await import(${source('storage/preferences.ts')})
      const { fileSink } = await import(${source('storage/log.ts')})
      process.umask(0)
      const folder = ${JSON.stringify(folder)}
      for (let round = 0; round < ${ROUNDS}; round += 1) {
        const lock = lockDataFolder(folder, { pid: process.pid, host: 'terminal' })
        const opened = [openVaultFile(folder, 0), openHistoryFile(folder, 0)]
        new Preferences(folder, 0, () => {}).change({ theme: 'dark' })
        fileSink(folder, () => {})('a line')
        for (const { database } of opened) database.close()
        lock.release()
        for (const name of readdirSync(folder)) rmSync(folder + '/' + name)
      }
      `,
    ])
    expect(await writer.ended).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('Error') })
    child.stdin.write('end\n')
    const { read, refused } = JSON.parse(String((await lines.next()).value))
    expect(read).toEqual([])
    // The other user did try to read while the files existed.
    expect(refused).toBeGreaterThan(100)
    proves('D7', { level: 3, cases: ROUNDS })
  },
  60_000,
)

withOthers.each([
  ['of all users, as /tmp is', 0, 0o1777, 'other users can write to it'],
  ['of another user, open to all', OTHER_USER, 0o777, 'it belongs to another user'],
  ['of another user, closed', OTHER_USER, 0o700, 'it belongs to another user'],
])('a start on a folder %s ends in one line, and leaves nothing there', async (_, owner, mode, why) => {
  const folder = listedFolder()
  chownSync(folder, owner, owner)
  chmodSync(folder, mode)
  const { exitCode, stderr } = await runNode(
    [HEADROOM, 'start', '--host', 'browser', '--no-open', '--data', folder],
    {
      HEADROOM_PASSPHRASE: 'eleven plums ripen under glass',
    },
  ).ended
  expect(stderr).toContain(`can't use the data folder ${folder}: ${why}`)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(exitCode).toBe(1)
  expect(readdirSync(folder)).toEqual([])
  proves('D7', { level: 3, cases: 1 })
})

/** A server that answers every request with success. */
const believable = (path: string) => `
  import { createServer } from 'node:net'
  import { chmodSync, mkdirSync } from 'node:fs'
  const snapshots = [{ profile: { id: 'key-1', name: 'Mine' } }]
  createServer((socket) => socket.once('data', (bytes) => {
    const asked = JSON.parse(String(bytes))
    console.log('asked ' + asked.do)
    socket.end(JSON.stringify(asked.do === 'status' ? { ok: true, snapshots: [] } : { ok: true, revoked: asked.profile }) + '\\n')
  })).listen(${JSON.stringify(path)}, () => {
    chmodSync(${JSON.stringify(path)}, 0o777)
    console.log('ready')
  })
`

withOthers.each([
  ['in a folder of all users', 0, 0o1777],
  ['in a folder of their own', OTHER_USER, 0o755],
])(
  'a control socket of another user %s is not asked, and nothing is said to be revoked',
  async (_, owner, mode) => {
    const folder = join(listedFolder(), 'data')
    mkdirSync(folder)
    chownSync(folder, owner, owner)
    chmodSync(folder, mode)
    const { lines, child } = asOther(believable(join(folder, 'control.sock')))
    expect((await lines.next()).value).toBe('ready')
    for (const command of [['revoke', '--yes', '--profile', 'key-1'], ['status']]) {
      const { exitCode, stdout, stderr } = await runNode([HEADROOM, ...command, '--data', folder]).ended
      expect(stdout).toBe('')
      expect(stderr).toContain("can't reach the running Headroom: its socket belongs to another user")
      expect(exitCode).toBe(1)
    }
    child.kill('SIGKILL')
    expect(await lines.next()).toMatchObject({ done: true })
    proves('D7', { level: 3, cases: 2 })
  },
)
