import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StreamRequest } from '../../../app/service/streams.ts'
import { PinnedStreams } from '../../../main/streams/pinned-streams.ts'
import { temporaryFolder } from '../data/temporary-folder.ts'

const QUOTES: StreamRequest = { kind: 'quotes', target: 'MSFT,AAPL', options: {} }
const BARS: StreamRequest = { kind: 'barcharts', target: 'MSFT', options: { unit: 'Minute', interval: '5' } }

test('what one run pinned is there in the next, each profile its own', () => {
  const path = temporaryFolder()
  const first = new PinnedStreams(path)
  expect(first.of('key-1').read()).toEqual([])
  first.of('key-1').write([QUOTES, BARS])
  first.of('key-2').write([BARS])
  first.of('key-2').write([])
  const next = new PinnedStreams(path)
  expect(next.of('key-1').read()).toEqual([QUOTES, BARS])
  expect(next.of('key-2').read()).toEqual([])
  expect(next.of('__proto__').read()).toEqual([])
  expect(statSync(join(path, 'pinned-streams.json')).mode & 0o077).toBe(0)
})

test('an entry of a newer version is kept and not opened', () => {
  const path = temporaryFolder()
  const file = join(path, 'pinned-streams.json')
  const newer = { kind: 'news', target: 'MSFT', options: {} }
  writeFileSync(file, JSON.stringify({ profiles: { 'key-1': [newer, QUOTES] } }))
  const pins = new PinnedStreams(path).of('key-1')
  expect(pins.read()).toEqual([QUOTES])
  pins.write([])
  expect(readFileSync(file, 'utf8')).toContain('"news"')
})

test('a key that is forgotten takes its pins with it, those of a newer version too', () => {
  const path = temporaryFolder()
  const file = join(path, 'pinned-streams.json')
  const newer = { kind: 'news', target: 'SIM1001', options: {} }
  writeFileSync(file, JSON.stringify({ profiles: { 'key-1': [newer, QUOTES], 'key-2': [BARS] } }))
  const pinned = new PinnedStreams(path)
  pinned.of('key-1').forget()
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ profiles: { 'key-2': [BARS] } })
  expect(pinned.of('key-1').read()).toEqual([])
})

test('nothing is written where nothing is pinned', () => {
  const path = temporaryFolder()
  new PinnedStreams(path).of('key-1').write([])
  new PinnedStreams(path).of('key-1').forget()
  expect(readdirSync(path)).toEqual([])
})

test.each(['', '{', '[]', '{"profiles":[]}', '{"profiles":{"key-1":7}}'])(
  'a damaged file (%j) is set aside and nothing is pinned',
  (text) => {
    const path = temporaryFolder()
    writeFileSync(join(path, 'pinned-streams.json'), text)
    expect(new PinnedStreams(path).of('key-1').read()).toEqual([])
    expect(readdirSync(path)).toEqual(['pinned-streams.json.corrupt'])
  },
)

test('a pin that could not be written is not taken for written', () => {
  const path = temporaryFolder()
  mkdirSync(join(path, 'pinned-streams.json.new'))
  const pins = new PinnedStreams(path).of('key-1')
  expect(pins.write([QUOTES]).ok).toBe(false)
  expect(pins.read()).toEqual([])
})
