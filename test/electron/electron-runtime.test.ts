import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../main/storage/temporary-folder.ts'
import { findElectron, lacksWhatTheAppUses, type RuntimePlaces } from './electron-runtime.ts'
import { testCache } from './test-cache.ts'

const CARRIED_EXECUTABLE = join('/cache', 'electron')
const INSTALLED = join('/checkout', 'dist', 'electron')

function places(there: readonly string[], changes: Partial<RuntimePlaces> = {}): RuntimePlaces {
  return {
    platform: 'linux',
    named: undefined,
    installed: () => (there.includes(INSTALLED) ? INSTALLED : undefined),
    carried: '/cache',
    isExecutable: (path) => there.includes(path),
    versionOf: (dist) => (there.some((path) => path.startsWith(dist)) ? '45.4.1' : undefined),
    ...changes,
  }
}

test("the package's own runtime is preferred to one downloaded for tests", () => {
  expect(findElectron(places([CARRIED_EXECUTABLE, INSTALLED]))).toMatchObject({ executable: INSTALLED })
  expect(findElectron(places([CARRIED_EXECUTABLE]))).toMatchObject({ dist: '/cache', version: '45.4.1' })
  expect(findElectron(places([]))).toBeUndefined()
})

test('a named one is used, and if it is missing there is none', () => {
  const mine = join('/mine', 'electron')
  const named = '/mine'
  expect(findElectron(places([mine, INSTALLED], { named }))).toMatchObject({
    dist: '/mine',
    executable: mine,
  })
  expect(findElectron(places([INSTALLED], { named }))).toBeUndefined()
  expect(findElectron(places([INSTALLED], { named: '' }))).toMatchObject({ executable: INSTALLED })
})

test('its executable is at each system’s place', () => {
  const inApp = join('/mine', 'Electron.app/Contents/MacOS/Electron')
  const onMac = places([inApp], { named: '/mine', platform: 'darwin' })
  expect(findElectron(onMac)).toMatchObject({ executable: inApp })
  const onWindows = places([join('/mine', 'electron.exe')], { named: '/mine', platform: 'win32' })
  expect(findElectron(onWindows)).toMatchObject({ executable: join('/mine', 'electron.exe') })
})

test('only a runtime that is too old gets stand-ins', () => {
  const lacks = (version: string) => lacksWhatTheAppUses({ dist: '', executable: '', version })
  expect([lacks('33.2.1'), lacks('41.9.9'), lacks('42.0.0'), lacks('45.4.1')]).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test("downloads are in the person's cache, or root's in the system's, which every user may read", () => {
  const home = temporaryFolder()
  expect(testCache({ XDG_CACHE_HOME: home }, false)).toBe(join(home, 'headroom-tests'))
  expect(testCache({ XDG_CACHE_HOME: home }, true)).toBe('/var/cache/headroom-tests')
})

test('if the home allows no folder, downloads are in the checkout', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(testCache({ XDG_CACHE_HOME: file }, false)).toMatch(/node_modules.\.cache.headroom-tests$/)
})
