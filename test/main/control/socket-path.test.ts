import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type SocketPlace, socketPath } from '../../../main/control/socket-path.ts'

const LINUX: SocketPlace = {
  platform: 'linux',
  runtimeFolder: '/run/user/1000',
  temporaryFolder: '/tmp',
  userId: 1000,
}

test('the socket is in the data folder where its path has room', () => {
  expect(socketPath('/home/a/data', LINUX)).toEqual({ kind: 'socket', path: '/home/a/data/control.sock' })
})

test('a longer data folder has it in the folder of the session, under a name of its own', () => {
  const deep = (name: string) => socketPath(`/home/a/${'deep/'.repeat(30)}${name}`, LINUX)
  expect(deep('x')).toMatchObject({ kind: 'elsewhere', folder: '/run/user/1000/headroom' })
  expect(deep('x')).toEqual(deep('x'))
  expect(deep('x').path).not.toBe(deep('y').path)
})

test('without a session’s folder it is in a temporary one of this user’s', () => {
  const place = { ...LINUX, runtimeFolder: undefined }
  expect(socketPath(`/${'x'.repeat(200)}`, place)).toMatchObject({ folder: '/tmp/headroom-1000' })
})

test('on Windows it is a pipe', () => {
  expect(socketPath('C:\\data', { ...LINUX, platform: 'win32' }).path).toMatch(
    /^\\\\\.\\pipe\\headroom-[0-9a-f]{24}$/,
  )
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
