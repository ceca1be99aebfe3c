import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { type ChromiumPlaces, findChromium } from './chromium.ts'

const places = (there: readonly string[], changes: Partial<ChromiumPlaces> = {}): ChromiumPlaces => ({
  platform: 'linux',
  environment: { PATH: ['/a', '/b'].join(delimiter) },
  playwrightPath: () => '/playwright/chrome',
  isExecutable: (path) => there.includes(path),
  ...changes,
})

test('a Chromium on the PATH is used, in the order of the PATH', () => {
  expect(findChromium(places([join('/b', 'chromium'), join('/a', 'google-chrome')]))).toBe(
    join('/a', 'google-chrome'),
  )
})

test('a headless shell is preferred to a whole browser, wherever on the PATH it is', () => {
  const shell = join('/b', 'chromium-headless-shell')
  expect(findChromium(places([join('/a', 'chromium'), shell]))).toBe(shell)
})

test('a browser set by a person comes first, if it exists', () => {
  const environment = { PATH: '/a', HEADROOM_CHROMIUM: '/mine' }
  const onPath = join('/a', 'chromium')
  expect(findChromium(places(['/mine', onPath], { environment }))).toBe('/mine')
  expect(findChromium(places([onPath], { environment }))).toBe(onPath)
})

test('the usual places of macOS and Windows are searched', () => {
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  expect(findChromium(places([mac], { platform: 'darwin' }))).toBe(mac)
  const edge = join('C:\\Program Files', 'Microsoft\\Edge\\Application\\msedge.exe')
  const environment = { PATH: '', PROGRAMFILES: 'C:\\Program Files' }
  expect(findChromium(places([edge], { platform: 'win32', environment }))).toBe(edge)
})

test("Playwright's own download is the last resort, and without it there is none", () => {
  expect(findChromium(places(['/playwright/chrome']))).toBe('/playwright/chrome')
  expect(findChromium(places([]))).toBeUndefined()
})
