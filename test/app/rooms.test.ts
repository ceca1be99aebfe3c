import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourcesOf, textOf } from './source-comments.ts'

const ROWS = [...textOf('app/README.md').matchAll(/^\| `([\w-]+)\/` \|.*\| ([^|]+) \|$/gm)]
const ROOMS = ROWS.map(([, room = '']) => room)
const ALLOWED = new Map(
  ROWS.map(([, room = '', imports = '']) => [room, imports.split(', ').filter((name) => name !== 'nothing')]),
)

test('the README of app/ names each of its rooms', () => {
  const folders = readdirSync(new URL('../../app', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  expect(ROOMS.toSorted()).toEqual(folders.toSorted())
})

test('a room imports only the rooms that the README allows it', () => {
  const imports = ROOMS.flatMap((room) =>
    sourcesOf(`app/${room}`).flatMap((path) =>
      [...textOf(path).matchAll(/from '\.\.\/([\w-]+)\//g)].map(([, to = '']) => ({ room, path, to })),
    ),
  )
  expect(imports.length).toBeGreaterThan(50)
  expect(imports.filter(({ room, to }) => ALLOWED.get(room)?.includes(to) !== true)).toEqual([])
})
