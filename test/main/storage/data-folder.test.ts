import { chmodSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultDataFolder, openDataFolder } from '../../../main/storage/data-folder.ts'
import { temporaryFolder } from './temporary-folder.ts'

const onPosix = test.skipIf(process.platform === 'win32')
// Root may write anywhere, whatever the mode says.
const asOrdinaryUser = test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)

onPosix('a new folder is for its owner only, with the folders above it', () => {
  const folder = join(temporaryFolder(), 'a', 'b')
  expect(openDataFolder(folder)).toEqual({ kind: 'open', path: realpathSync(folder) })
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

onPosix('a folder that was there keeps its mode: others may be meant to list it', () => {
  const folder = join(temporaryFolder(), 'open')
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  openDataFolder(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o755)
})

test.skipIf(process.platform !== 'linux')(
  'a place that does not allow folders is reported in one line, at once',
  () => {
    expect(openDataFolder('/proc/headroom/data')).toEqual({
      kind: 'unusable',
      line: "can't use the data folder /proc/headroom/data: creating it failed",
    })
  },
)

test('a file in place of the folder is reported in one line', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  for (const path of [file, join(file, 'below')]) {
    const opening = openDataFolder(path)
    expect(opening).toMatchObject({
      kind: 'unusable',
      line: `can't use the data folder ${path}: a file is in the way`,
    })
  }
})

asOrdinaryUser('a folder without permission to write is said in one line', () => {
  const folder = join(temporaryFolder(), 'closed')
  mkdirSync(folder, { mode: 0o500 })
  expect(openDataFolder(join(folder, 'data'))).toMatchObject({
    kind: 'unusable',
    line: expect.stringContaining('no permission'),
  })
})

test('without a home folder nothing is opened, and the error says what to do', () => {
  expect(openDataFolder(undefined)).toEqual({ kind: 'unusable', line: expect.stringContaining('--data') })
})

test('the default folder has the plain name of the app', () => {
  expect(defaultDataFolder()).toMatch(/Headroom/)
  expect(defaultDataFolder()).not.toMatch(/-nodejs/)
})
