import { expect, test } from 'vitest'
import { takenEnvironment } from '../../../../main/hosts/terminal/taken-environment.ts'

test('what is secret is read once, and is not there for a crash report or a child process to show', () => {
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
