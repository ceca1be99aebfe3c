import { describe, expect, test } from 'vitest'
import { thisPlace } from '../../../main/control/socket-path.ts'
import { type Account, dataFolderOf, homeFolder, thisAccount } from '../../../main/storage/home-folder.ts'

const of = (account: Partial<Account>) =>
  dataFolderOf({ platform: 'linux', environment: {}, homes: ['/home/me'], ...account }, 'Headroom')
const onPosix = test.skipIf(process.platform === 'win32')

test('each platform has its own folder', () => {
  expect(of({})).toBe('/home/me/.local/share/Headroom')
  expect(of({ environment: { XDG_DATA_HOME: '/data' } })).toBe('/data/Headroom')
  expect(of({ platform: 'darwin' })).toBe('/home/me/Library/Application Support/Headroom')
  const windows = { platform: 'win32', homes: ['C:\\Users\\me'] } as const
  expect(of(windows)).toBe('C:\\Users\\me\\AppData\\Local\\Headroom\\Data')
  expect(of({ ...windows, environment: { LOCALAPPDATA: 'D:\\Local' } })).toBe('D:\\Local\\Headroom\\Data')
})

describe('an empty or relative value is ignored, and nothing is stored below the current folder', () => {
  test.each(['', 'share', './share', '../share'])('XDG_DATA_HOME=%j', (XDG_DATA_HOME) => {
    expect(of({ environment: { XDG_DATA_HOME } })).toBe('/home/me/.local/share/Headroom')
  })
  test.each(['', 'me', '.'])('HOME=%j', (home) => {
    expect(of({ homes: [home, '/home/me'] })).toBe('/home/me/.local/share/Headroom')
    expect(of({ homes: [home, '/home/me'], platform: 'darwin' })).toMatch(/^\/home\/me\/Library/)
    expect(of({ homes: [home] })).toBeUndefined()
    expect(of({ homes: [home], platform: 'darwin' })).toBeUndefined()
    expect(of({ homes: [home], platform: 'win32' })).toBeUndefined()
    expect(of({ homes: [home], environment: { XDG_DATA_HOME: '/data' } })).toBe('/data/Headroom')
  })
  test.each(['', 'run'])('XDG_RUNTIME_DIR=%j', (XDG_RUNTIME_DIR) => {
    expect(thisPlace({ XDG_RUNTIME_DIR }).runtimeFolder).toBeUndefined()
  })
})

test('an account without an entry uses the home folder in HOME', () => {
  const withoutEntry = () => {
    throw new Error('ENOENT: uv_os_get_passwd')
  }
  expect(thisAccount({}, [() => '/home/me', withoutEntry]).homes).toEqual(['/home/me'])
})

onPosix('this account has a home, whatever HOME says', () => {
  const { HOME } = process.env
  try {
    process.env['HOME'] = ''
    expect(homeFolder(thisAccount())).toMatch(/^\//)
  } finally {
    if (HOME === undefined) delete process.env['HOME']
    else process.env['HOME'] = HOME
  }
})
