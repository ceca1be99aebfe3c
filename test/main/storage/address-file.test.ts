import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ADDRESS_FILE_MS, openByFile } from '../../../main/storage/address-file.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { replaceDisk } from './replaced-disk.ts'
import { temporaryFolder } from './temporary-folder.ts'

const ADDRESS = 'http://127.0.0.1:4780/#code=</script><b>"&x'

function setUp(openFile: (path: string) => Promise<void> = async () => {}) {
  const folder = temporaryFolder()
  const clock = new VirtualClock()
  const opened: string[] = []
  const open = openByFile({
    folder,
    clock,
    randomBytes,
    openFile: async (path) => {
      opened.push(path)
      await openFile(path)
    },
  })
  return { folder, clock, opened, open }
}

test('a file readable only by its owner redirects to the address, whatever its characters', async () => {
  const { opened, open } = setUp()
  await open(ADDRESS)
  const [path = ''] = opened
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
  const page = readFileSync(path, 'utf8')
  const [, quoted = ''] = /location\.replace\((".*")\)<\/script>/.exec(page) ?? []
  expect(JSON.parse(quoted)).toBe(ADDRESS)
  expect(page.match(/<\/script>/g)).toHaveLength(1)
  expect(page).toContain('href="http://127.0.0.1:4780/#code=&#60;/script&#62;&#60;b&#62;&#34;&#38;x"')
})

test('it is deleted after the address was used, after a minute, and if no browser could be opened', async () => {
  const { folder, clock, open } = setUp()
  const used = await open(ADDRESS)
  await open(ADDRESS)
  expect(readdirSync(folder)).toHaveLength(2)
  used()
  expect(readdirSync(folder)).toHaveLength(1)
  await clock.advance(ADDRESS_FILE_MS)
  expect(readdirSync(folder)).toEqual([])
  used()
  const failing = setUp(() => Promise.reject(new Error('no browser')))
  await expect(failing.open(ADDRESS)).rejects.toThrow('no browser')
  expect(readdirSync(failing.folder)).toEqual([])
  expect(failing.clock.pending).toBe(0)
})

test('a disk that takes only a part of it opens nothing, and keeps nothing', async () => {
  const { folder, clock, opened, open } = setUp()
  const write = writeFileSync
  replaceDisk({
    writeFileSync: (file, text, options) => {
      write(file, String(text).slice(0, 99), options)
      throw new Error('ENOSPC: no space left on device')
    },
  })
  await expect(open(ADDRESS)).rejects.toThrow('ENOSPC')
  expect([readdirSync(folder), opened, clock.pending]).toEqual([[], [], 0])
})

test('files left by a killed process are removed at the next start, and nothing else is', () => {
  const folder = temporaryFolder()
  const others = ['a-open-x.html', 'open-.html', 'open-a b.html', 'open-x.html.bak', 'open.html', 'vault.db']
  for (const name of ['open-Ab3_-x.html', ...others]) writeFileSync(join(folder, name), '')
  openByFile({ folder, clock: new VirtualClock(), randomBytes, openFile: async () => {} })
  expect(readdirSync(folder).sort()).toEqual(others)
  expect(existsSync(join(folder, 'open-Ab3_-x.html'))).toBe(false)
})
