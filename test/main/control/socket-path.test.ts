import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type SocketPlace, socketOf, socketPath, thisPlace } from '../../../main/control/socket-path.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const LINUX: SocketPlace = {
  platform: 'linux',
  runtimeFolder: '/run/user/1000',
  temporaryFolder: '/tmp',
  userId: 1000,
}

test('the socket is in the data folder if its path is short enough', () => {
  expect(socketPath('/home/a/data', LINUX)).toEqual({ kind: 'socket', path: '/home/a/data/control.sock' })
})

test('for a longer data folder it is in the session’s folder, under its own name', () => {
  const deep = (name: string) => socketPath(`/home/a/${'deep/'.repeat(30)}${name}`, LINUX)
  expect(deep('x')).toMatchObject({ kind: 'elsewhere', folder: '/run/user/1000/headroom' })
  expect(deep('x')).toEqual(deep('x'))
  expect(deep('x').path).not.toBe(deep('y').path)
})

test('without a session folder it is in a temporary folder of this user', () => {
  const place = { ...LINUX, runtimeFolder: undefined }
  expect(socketPath(`/${'x'.repeat(200)}`, place)).toMatchObject({ folder: '/tmp/headroom-1000' })
})

test('on Windows it is a pipe', () => {
  expect(socketPath('C:\\data', { ...LINUX, platform: 'win32' }).path).toMatch(
    /^\\\\\.\\pipe\\headroom-[0-9a-f]{24}$/,
  )
})

test('a path of 103 bytes stays in the data folder, a longer one moves', () => {
  const folder = (bytes: number) => `/${'x'.repeat(bytes - '//control.sock'.length)}`
  expect(socketPath(folder(103), LINUX).kind).toBe('socket')
  expect(socketPath(folder(104), LINUX).kind).toBe('elsewhere')
  expect(socketPath(folder(103).replace('x', 'é'), LINUX).kind).toBe('elsewhere')
})

test('the session’s folder is used up to 60 bytes, the temporary one up to 50', () => {
  const long = `/${'x'.repeat(200)}`
  const of = (bytes: number) => `/${'r'.repeat(bytes - 1)}`
  const folderWith = (place: Partial<SocketPlace>) => socketPath(long, { ...LINUX, ...place })
  expect(folderWith({ runtimeFolder: of(60) })).toMatchObject({ folder: `${of(60)}/headroom` })
  expect(folderWith({ runtimeFolder: of(61) })).toMatchObject({ folder: '/tmp/headroom-1000' })
  const without = { runtimeFolder: undefined }
  expect(folderWith({ ...without, temporaryFolder: of(50) })).toMatchObject({
    folder: `${of(50)}/headroom-1000`,
  })
  expect(folderWith({ ...without, temporaryFolder: of(51) })).toMatchObject({ folder: '/tmp/headroom-1000' })
  expect(folderWith({ ...without, userId: undefined })).toMatchObject({ folder: '/tmp/headroom-user' })
})

test('wherever it is, the path fits into the hundred bytes it may have', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 150 }),
      fc.string({ maxLength: 150 }),
      fc.option(fc.string({ minLength: 1, maxLength: 150 }), { nil: undefined }),
      (folder, temporary, runtime) => {
        const place = { ...LINUX, temporaryFolder: `/${temporary}`, runtimeFolder: runtime && `/${runtime}` }
        expect(Buffer.byteLength(socketPath(`/${folder}`, place).path)).toBeLessThanOrEqual(103)
      },
    ),
  )
})

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
