import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readWindowFiles } from '../../../main/hosts/window-files.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const PAGE = '<!doctype html><style nonce="__CSP_NONCE__"></style><i nonce="__CSP_NONCE__"></i>'

test('only a file with a hash in its name, in its folder, is cached forever', () => {
  const names = [
    'assets/app-abcd_fg8.js',
    'assets/deep/app-abcdefg8.css',
    'assets/app-abcdef.js',
    'assets/app-abcdefg8.js.txt',
    'other/assets/app-abcdefg8.js',
    'icon.svg',
  ]
  const files = readWindowFiles(
    folderOf({ 'index.html': PAGE, ...Object.fromEntries(names.map((name) => [name, 'x'])) }),
  )
  expect(names.map((name) => files.find(`/${name}`)?.cacheControl)).toEqual([
    'public, max-age=31536000, immutable',
    'public, max-age=31536000, immutable',
    'no-cache',
    'no-cache',
    'no-cache',
    'no-cache',
  ])
})

test('the page is not a file, and has the nonce of its random bytes', () => {
  const files = readWindowFiles(folderOf({ 'index.html': PAGE }))
  expect(files.find('/index.html')).toBeUndefined()
  const { html, nonce } = files.page((size) => new Uint8Array(size).fill(7))
  expect(nonce).toBe('BwcHBwcHBwcHBwcHBwcHBw==')
  expect(html).toBe(`<!doctype html><style nonce="${nonce}"></style><i nonce="${nonce}"></i>`)
})

test.skipIf(process.platform === 'win32')('a link and a file of an unknown kind are not served', () => {
  const folder = folderOf({ 'index.html': PAGE, 'assets/app-abcdefg8.js.map': 'x' })
  symlinkSync('/etc/hostname', join(folder, 'linked.txt'))
  const files = readWindowFiles(folder)
  expect([files.find('/linked.txt'), files.find('/assets/app-abcdefg8.js.map')]).toEqual([
    undefined,
    undefined,
  ])
})

test('a folder without a built window reports what to do', () => {
  expect(() => readWindowFiles(temporaryFolder())).toThrow('npm run build')
})
