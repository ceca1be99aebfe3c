import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { socketOf, thisPlace } from '../../../main/control/socket-path.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

test('a data folder and a link to it have one socket', () => {
  const parent = temporaryFolder()
  mkdirSync(join(parent, 'data'))
  symlinkSync(join(parent, 'data'), join(parent, 'link'), 'junction')
  expect(socketOf(join(parent, 'link'), {})).toEqual(socketOf(join(parent, 'data'), {}))
})

test('a data folder that does not exist has the socket of its absolute path', () => {
  expect(socketOf('nowhere', {})).toEqual(socketOf(join(process.cwd(), 'nowhere'), {}))
})

test('the socket’s path contains the user and the session’s folder', () => {
  expect(thisPlace({ XDG_RUNTIME_DIR: '/run/user/1' })).toMatchObject({
    platform: process.platform,
    runtimeFolder: '/run/user/1',
    userId: process.getuid?.(),
  })
})

test('a platform without user ids omits the user', () => {
  const { getuid } = process
  onTestFinished(() => void Object.assign(process, { getuid }))
  Object.assign(process, { getuid: undefined })
  expect(thisPlace({}).userId).toBeUndefined()
})
