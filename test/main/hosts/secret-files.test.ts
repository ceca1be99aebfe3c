import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takenEnvironment, withSecretFiles } from '../../../main/hosts/secret-files.ts'
import { proves } from '../../proof/proves.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

function files(contents: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(folder, name), text)
  return folder
}

test('a secret is read from the named file, without the line end an editor adds', () => {
  const folder = files({ a: 'four words in here\n', b: 'token\r\n', c: ' kept \n\n' })
  const { environment, problem } = withSecretFiles({
    PATH: '/bin',
    HEADROOM_PASSPHRASE_FILE: join(folder, 'a'),
    HEADROOM_REFRESH_TOKEN_FILE: join(folder, 'b'),
    HEADROOM_CLIENT_SECRET_FILE: join(folder, 'c'),
  })
  expect(problem).toBeUndefined()
  // The names of the files are gone: a child process gets the secret only once.
  expect(environment).toEqual({
    PATH: '/bin',
    HEADROOM_PASSPHRASE: 'four words in here',
    HEADROOM_REFRESH_TOKEN: 'token',
    HEADROOM_CLIENT_SECRET: ' kept \n',
  })
})

test('systemd’s credentials are read by name, and the environment takes precedence', () => {
  const CREDENTIALS_DIRECTORY = files({
    HEADROOM_PASSPHRASE: 'sealed words',
    HEADROOM_CLIENT_SECRET: 'other',
  })
  const { environment } = withSecretFiles({ CREDENTIALS_DIRECTORY, HEADROOM_CLIENT_SECRET: 'mine' })
  expect(environment).toEqual({
    CREDENTIALS_DIRECTORY,
    HEADROOM_PASSPHRASE: 'sealed words',
    HEADROOM_CLIENT_SECRET: 'mine',
  })
})

test('an unreadable secret is one line that names the variable and the file, never its content', () => {
  const folder = files({ empty: '\n', long: 'CANARY'.repeat(20_000), both: 'CANARY' })
  mkdirSync(join(folder, 'HEADROOM_PASSPHRASE'))
  const problemOf = (environment: Readonly<Record<string, string>>) => withSecretFiles(environment).problem
  const at = (name: string) => ({ HEADROOM_PASSPHRASE_FILE: join(folder, name) })
  expect(problemOf(at('gone'))).toBe(
    `can't read ${join(folder, 'gone')}, named in HEADROOM_PASSPHRASE_FILE: not found`,
  )
  expect(problemOf(at('empty'))).toBe(`${join(folder, 'empty')} is empty`)
  expect(problemOf(at('long'))).toContain('over 64 kB')
  expect(problemOf({ ...at('both'), HEADROOM_PASSPHRASE: 'CANARY' })).toBe(
    'HEADROOM_PASSPHRASE and HEADROOM_PASSPHRASE_FILE are both set: unset one of them',
  )
  // Windows reports a folder as unreadable.
  expect(problemOf({ CREDENTIALS_DIRECTORY: folder })).toMatch(
    /^can't read the credential HEADROOM_PASSPHRASE: (a folder is in the way|permission denied)$/,
  )
  proves('U2', { level: 1, cases: 5 })
})

test('secrets are read once, and are not there for a crash report or a child process', () => {
  const own: NodeJS.ProcessEnv = {
    PATH: '/bin',
    HEADROOM_PASSPHRASE: 'words',
    HEADROOM_CLIENT_SECRET: 'secret',
    HEADROOM_REFRESH_TOKEN: 'token',
    HEADROOM_METRICS_TOKEN: 'bearer',
    HEADROOM_SIMULATOR_CONTROL: 'control',
  }
  const before = { ...own }
  expect(takenEnvironment(own)).toEqual(before)
  expect(own).toEqual({ PATH: '/bin' })
})
