import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startSimulatorServer } from '../../../../main/simulator/server.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { runNode } from './run-node.ts'

const HEADROOM = fileURLToPath(new URL('../../../../main/hosts/terminal/headroom.ts', import.meta.url))
const SECRETS = {
  HEADROOM_PASSPHRASE: 'CANARY words of eleven green plums',
  HEADROOM_REFRESH_TOKEN: 'CANARY-token',
}

async function service() {
  const simulator = await startSimulatorServer({
    clientId: 'key-1',
    refreshToken: 'CANARY-token',
    keys: 'rotating',
  })
  onTestFinished(() => simulator.close())
  const { origin } = simulator
  const folder = temporaryFolder()
  const flags = ['--auth-url', origin, '--base-url', origin, '--client-id', 'key-1', '--data', folder]
  const watch = (environment: Readonly<Record<string, string>> = {}, seconds = '20') =>
    runNode([HEADROOM, 'watch', '--json', '--probe', 'none', '--for', seconds, ...flags], {
      HEADROOM_CLIENT_SECRET: '',
      ...SECRETS,
      ...environment,
    })
  /** Runs until the key was refreshed, then ends it as a person would. */
  const refreshed = async (environment: Readonly<Record<string, string>> = {}) => {
    const running = watch(environment)
    await running.said('"kind":"token-refreshed"')
    running.child.kill('SIGTERM')
    return running.ended
  }
  return { folder, watch, refreshed }
}

const oneLine = (text: string) => expect(text.trimEnd().split('\n')).toHaveLength(1)

test('a rotating key continues where the last run ended, whatever token the environment still has', async () => {
  const { refreshed } = await service()
  const first = await refreshed()
  expect(first).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching('headroom: keys encrypted with HEADROOM_PASSPHRASE\n'),
  })
  expect(first.stdout).toContain('"stored":"sealed"')
  // The environment's token is used up by now.
  expect(await refreshed()).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await refreshed({ HEADROOM_REFRESH_TOKEN: '' })).toMatchObject({ exitCode: 0, stderr: '' })
  expect(first.stdout).not.toContain('CANARY')
}, 60_000)

test('a wrong passphrase is one line and exit 3, and costs nothing', async () => {
  const { folder, refreshed, watch } = await service()
  await refreshed()
  const wrong = await watch({ HEADROOM_PASSPHRASE: 'other words' }).ended
  expect(wrong.exitCode).toBe(3)
  oneLine(wrong.stderr)
  expect(wrong.stderr).toContain(`wrong HEADROOM_PASSPHRASE for the keys in ${folder}`)
  expect(wrong.stderr).not.toContain('connect')
  expect((await refreshed()).exitCode).toBe(0)
}, 60_000)

test('the passphrase and the token may be in files, and in the folder of systemd’s credentials', async () => {
  const { watch } = await service()
  const files = temporaryFolder()
  writeFileSync(join(files, 'words'), `${SECRETS.HEADROOM_PASSPHRASE}\n`)
  writeFileSync(join(files, 'HEADROOM_REFRESH_TOKEN'), `${SECRETS.HEADROOM_REFRESH_TOKEN}\n`)
  const fromFiles = {
    HEADROOM_PASSPHRASE: '',
    HEADROOM_REFRESH_TOKEN: '',
    HEADROOM_PASSPHRASE_FILE: join(files, 'words'),
    CREDENTIALS_DIRECTORY: files,
  }
  const running = watch(fromFiles)
  await running.said('"kind":"token-refreshed"')
  running.child.kill('SIGTERM')
  const { exitCode, stdout } = await running.ended
  expect(exitCode).toBe(0)
  expect(stdout).toContain('"stored":"sealed"')
  const missing = await watch({ ...fromFiles, HEADROOM_PASSPHRASE_FILE: join(files, 'gone') }).ended
  expect(missing.exitCode).toBe(3)
  expect(missing.stderr).toBe(
    `headroom: can't read ${join(files, 'gone')}, named in HEADROOM_PASSPHRASE_FILE: not found\n`,
  )
}, 60_000)

test('a second process on the folder ends in one line that names the owner', async () => {
  const { watch } = await service()
  const first = watch()
  await first.said('"kind":"token-refreshed"')
  const second = await watch().ended
  expect(second.exitCode).toBe(1)
  oneLine(second.stderr)
  expect(second.stderr).toContain(`terminal, pid ${first.child.pid}`)
}, 60_000)

test('without a passphrase nothing is stored, and that is reported', async () => {
  const { folder, watch } = await service()
  const { exitCode, stderr, stdout } = await watch({ HEADROOM_PASSPHRASE: '' }, '1').ended
  expect(exitCode).toBe(0)
  expect(stderr).toContain('nothing is saved without HEADROOM_PASSPHRASE')
  expect(stdout).toContain('"keystore":"memory"')
  expect(readdirSync(folder)).toEqual([])
}, 60_000)

test('with neither a stored key nor a token it reports what is missing', async () => {
  const { watch } = await service()
  const { exitCode, stderr } = await watch({ HEADROOM_REFRESH_TOKEN: '' }).ended
  expect(exitCode).toBe(3)
  oneLine(stderr)
  expect(stderr).toContain('HEADROOM_REFRESH_TOKEN')
}, 60_000)
