import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const FOLDERS = ['.ci', '.github', 'app', 'main', 'renderer', 'test']
/** The marks that Git leaves around two versions of a text. The linter checks only code, not other files. */
const MARKER = /^(?:<{7}|>{7}|\|{7}) /m

test('no file contains a merge conflict', () => {
  // Lists the folders instead of asking Git, because a downloaded archive has no history.
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  const files = [...readdirSync(root), ...below].filter((file) =>
    /\.(?:[cm]?[jt]sx?|css|html|json|md|svg|ya?ml)$/.test(file),
  )
  expect(files.length).toBeGreaterThan(500)
  expect(files.filter((file) => MARKER.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
})
