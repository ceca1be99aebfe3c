import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StreamRequest } from '../../../app/service/stream-kinds.ts'
import { PinnedStreams } from '../../../main/streams/pinned-streams.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { owner } from './pin-owner.ts'

const NOW_MS = Date.UTC(2026, 0, 2)
const QUOTES: StreamRequest = { kind: 'quotes', target: 'MSFT,AAPL', options: {} }
const BARS: StreamRequest = { kind: 'barcharts', target: 'MSFT', options: { unit: 'Minute', interval: '5' } }

test('pins of one run are there in the next, separate for each profile', () => {
  const path = temporaryFolder()
  const first = new PinnedStreams(path, NOW_MS)
  expect(first.of(owner('key-1')).read()).toEqual([])
  first.of(owner('key-1')).write([QUOTES, BARS])
  first.of(owner('key-2')).write([BARS])
  first.of(owner('key-2')).write([])
  const next = new PinnedStreams(path, NOW_MS)
  expect(next.of(owner('key-1')).read()).toEqual([QUOTES, BARS])
  expect(next.of(owner('key-2')).read()).toEqual([])
  expect(next.of(owner('__proto__')).read()).toEqual([])
  expect(statSync(join(path, 'pinned-streams.json')).mode & 0o077).toBe(0)
})

test('an entry of a newer version is preserved but not opened', () => {
  const path = temporaryFolder()
  const file = join(path, 'pinned-streams.json')
  const newer = { kind: 'news', target: 'MSFT', options: {} }
  writeFileSync(file, JSON.stringify({ profiles: { 'key-1': [newer, QUOTES] } }))
  const pins = new PinnedStreams(path, NOW_MS).of(owner('key-1'))
  expect(pins.read()).toEqual([QUOTES])
  pins.write([])
  expect(readFileSync(file, 'utf8')).toContain('"news"')
})

test('forgetting a key deletes its pins, including those of a newer version', () => {
  const path = temporaryFolder()
  const file = join(path, 'pinned-streams.json')
  const newer = { kind: 'news', target: 'SIM1001', options: {} }
  writeFileSync(file, JSON.stringify({ profiles: { 'key-1': [newer, QUOTES], 'key-2': [BARS] } }))
  const pinned = new PinnedStreams(path, NOW_MS)
  pinned.of(owner('key-1')).forget()
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ profiles: { 'key-2': [BARS] } })
  expect(pinned.of(owner('key-1')).read()).toEqual([])
})

test('nothing is written if nothing is pinned', () => {
  const path = temporaryFolder()
  new PinnedStreams(path, NOW_MS).of(owner('key-1')).write([])
  new PinnedStreams(path, NOW_MS).of(owner('key-1')).forget()
  expect(readdirSync(path)).toEqual([])
})

test.each(['', '{', '[]', '{"profiles":[]}', '{"profiles":{"key-1":7}}'])(
  'a damaged file (%j) is renamed and nothing is pinned',
  (text) => {
    const path = temporaryFolder()
    writeFileSync(join(path, 'pinned-streams.json'), text)
    expect(new PinnedStreams(path, NOW_MS).of(owner('key-1')).read()).toEqual([])
    expect(readdirSync(path)).toEqual(['pinned-streams.corrupt-2026-01-02T00-00-00-000Z.json'])
  },
)

test('a pin whose write failed does not count as written', () => {
  const path = temporaryFolder()
  mkdirSync(join(path, 'pinned-streams.json.new'))
  const pins = new PinnedStreams(path, NOW_MS).of(owner('key-1'))
  expect(pins.write([QUOTES]).ok).toBe(false)
  expect(pins.read()).toEqual([])
})

test('pins belong to a host and a client id: another key under the same id has none of them', () => {
  const path = temporaryFolder()
  new PinnedStreams(path, NOW_MS).of(owner('key-1')).write([QUOTES])
  const next = new PinnedStreams(path, NOW_MS)
  for (const more of [
    { clientId: 'another-key' },
    { baseUrl: 'https://other.test' },
    { authUrl: 'https://other.test' },
  ])
    expect(next.of(owner('key-1', more)).read()).toEqual([])
  expect(next.of(owner('key-1')).read()).toEqual([QUOTES])
  next.of(owner('key-1', { clientId: 'another-key' })).write([BARS])
  expect(next.of(owner('key-1')).read()).toEqual([])
})

test('pins of a key in memory only end with it, and are written once the key is stored', () => {
  const path = temporaryFolder()
  let isKept = false
  const unkept = owner('key-1', { isKept: () => isKept })
  const first = new PinnedStreams(path, NOW_MS)
  first.of(unkept).write([QUOTES])
  expect(first.of(unkept).read()).toEqual([QUOTES])
  expect(first.of(owner('key-1', { ...unkept, clientId: 'another-key' })).read()).toEqual([])
  first.flush()
  expect(readdirSync(path)).toEqual([])
  expect(new PinnedStreams(path, NOW_MS).of(unkept).read()).toEqual([])
  isKept = true
  first.flush()
  expect(new PinnedStreams(path, NOW_MS).of(unkept).read()).toEqual([QUOTES])
})

test('a list from a version without owners belongs to the key stored under the id', () => {
  const path = temporaryFolder()
  writeFileSync(join(path, 'pinned-streams.json'), JSON.stringify({ profiles: { 'key-1': [QUOTES] } }))
  const pinned = new PinnedStreams(path, NOW_MS)
  expect(pinned.of(owner('key-1', { isKept: () => false })).read()).toEqual([])
  expect(pinned.of(owner('key-1')).read()).toEqual([QUOTES])
})
