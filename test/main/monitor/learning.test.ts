import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Bucket } from '../../../app/quota/bucket.ts'
import type { LearnedQuota } from '../../../app/quota/learned.ts'
import { Learning } from '../../../main/monitor/learning.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { MEMORY_PROFILE_STORE } from '../../../main/sign-in/profile-store.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { EXAMPLE_KEY } from '../example-key.ts'
import { quotaHeaders } from '../quota-headers.ts'
import { answerOf, renewal, ScriptedHttp } from '../scripted-http.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { owner } from '../streams/pin-owner.ts'

const NOW_MS = Date.UTC(2026, 0, 2)
const MINUTE_MS = 60_000

function learned(atMs = NOW_MS): LearnedQuota {
  const bucket = new Bucket(320, 300, atMs)
  for (const [id, remaining] of [300, 250, 180].entries()) {
    const receivedAtMs = atMs + id * MINUTE_MS
    const rate = { limit: 320, periodSeconds: 300, remaining }
    bucket.answered({ id, receivedAtMs, sentAtMs: receivedAtMs, rejected: false, rate })
  }
  const found = bucket.learned()
  if (!found) throw new Error('nothing learned')
  return found
}

const pathIn = (folder: string) => join(folder, 'learned.json')

test('learned data is available to the next run, in a private file, to four digits', () => {
  const folder = temporaryFolder()
  const first = new Learning(folder, NOW_MS)
  first.of(owner('key-1')).keep({ Positions: learned() })
  expect(existsSync(pathIn(folder))).toBe(false)
  expect(first.flush()).toEqual({ ok: true })
  expect(statSync(pathIn(folder)).mode & 0o077).toBe(0)
  const next = new Learning(folder, NOW_MS).of(owner('key-1')).read()
  const { rates, atMs, isShared } = next['Positions'] ?? learned(0)
  expect({ atMs, isShared }).toEqual({ atMs: learned().atMs, isShared: true })
  for (const [at, rate] of learned().rates.entries()) expect(rates[at]).toBeCloseTo(rate, 4)
})

test('a recognized poller is available to the next run', () => {
  const poller = { everySeconds: 5.0003, calls: 3, mayBeMore: true, sinceMs: NOW_MS - MINUTE_MS }
  const folder = temporaryFolder()
  const first = new Learning(folder, NOW_MS)
  first.of(owner('key-1')).keep({ Accounts: { ...learned(), poller }, Positions: learned() })
  first.flush()
  const next = new Learning(folder, NOW_MS).of(owner('key-1')).read()
  expect(next['Accounts']?.poller).toEqual(poller)
  expect(next['Positions']).not.toHaveProperty('poller')
})

test('starts of usual loads are available to the next run, to the second', () => {
  const starts = [
    { atMs: NOW_MS - 1400, perSecond: 3.21234 },
    { atMs: NOW_MS, perSecond: 0.5 },
  ]
  const folder = temporaryFolder()
  const first = new Learning(folder, NOW_MS)
  first.of(owner('key-1')).keep({ Accounts: { ...learned(), starts }, Positions: learned() })
  first.flush()
  const next = new Learning(folder, NOW_MS).of(owner('key-1')).read()
  expect(next['Accounts']?.starts).toEqual([
    { atMs: NOW_MS - 1000, perSecond: 3.212 },
    { atMs: NOW_MS, perSecond: 0.5 },
  ])
  expect(next['Positions']).not.toHaveProperty('starts')
})

test('unchanged data is not written again', () => {
  const folder = temporaryFolder()
  const learning = new Learning(folder, NOW_MS)
  learning.of(owner('key-1')).keep({ Positions: learned() })
  learning.flush()
  writeFileSync(pathIn(folder), 'untouched')
  learning.of(owner('key-1')).keep({ Positions: learned() })
  learning.flush()
  expect(readFileSync(pathIn(folder), 'utf8')).toBe('untouched')
  learning.of(owner('key-1')).keep({ Positions: learned(NOW_MS + 1) })
  learning.flush()
  expect(readFileSync(pathIn(folder), 'utf8')).toContain('Positions')
})

test('forgetting a key deletes its learned data and leaves the others’', () => {
  const folder = temporaryFolder()
  const learning = new Learning(folder, NOW_MS)
  for (const id of ['key-1', 'key-2']) learning.of(owner(id)).keep({ Positions: learned() })
  learning.flush()
  expect(new Learning(folder, NOW_MS).of(owner('key-1')).forget()).toEqual({ ok: true })
  const next = new Learning(folder, NOW_MS)
  expect(next.of(owner('key-1')).read()).toEqual({})
  expect(Object.keys(next.of(owner('key-2')).read())).toEqual(['Positions'])
})

test('another key of the same name and a key in memory only neither read nor write', () => {
  const folder = temporaryFolder()
  const learning = new Learning(folder, NOW_MS)
  learning.of(owner('key-1')).keep({ Positions: learned() })
  const inMemory = owner('key-2', { isKept: () => false })
  learning.of(inMemory).keep({ Accounts: learned() })
  learning.flush()
  expect(Object.keys(learning.of(inMemory).read())).toEqual(['Accounts'])
  const next = new Learning(folder, NOW_MS)
  expect(next.of(owner('key-1', { clientId: 'another-key' })).read()).toEqual({})
  expect(next.of(inMemory).read()).toEqual({})
  const text = readFileSync(pathIn(folder), 'utf8')
  expect(text).not.toContain('the-key')
  expect(text).not.toContain('Accounts')
})

test('without a folder it lasts as long as the process', () => {
  const learning = new Learning(undefined, NOW_MS)
  learning.of(owner('key-1')).keep({ Positions: learned() })
  expect(learning.flush()).toEqual({ ok: true })
  expect(Object.keys(learning.of(owner('key-1')).read())).toEqual(['Positions'])
})

test.each([
  ['cut off', (text: string) => text.slice(0, 500), 'damaged'],
  ['another program’s', () => '{"model":"linear"}', 'damaged'],
  ['a newer version’s', (text: string) => text.replace('"schemaVersion": 1', '"schemaVersion": 2'), 'newer'],
  ['one with too few numbers', (text: string) => text.replace(/"jumps": "\S+ /, '"jumps": "'), 'damaged'],
  ['one with a number below 0', (text: string) => text.replace(/"jumps": "/, '"jumps": "-'), 'damaged'],
  [
    'one with a poller of no calls',
    (text: string) =>
      text.replace(
        '"isShared"',
        '"poller": {"everySeconds": 5, "calls": 0, "mayBeMore": false, "sinceMs": 0}, "isShared"',
      ),
    'damaged',
  ],
  [
    'one with a start without a rate',
    (text: string) => text.replace('"isShared"', '"starts": "1767312000:0", "isShared"'),
    'damaged',
  ],
  ['one with a word', (text: string) => text.replace(/"jumps": "\S+/, '"jumps": "NaN'), 'damaged'],
])('a file that is %s is renamed and reported in one line', (_, change, word) => {
  const folder = temporaryFolder()
  const first = new Learning(folder, NOW_MS)
  first.of(owner('key-1')).keep({ Positions: learned() })
  first.flush()
  const changed = change(readFileSync(pathIn(folder), 'utf8'))
  writeFileSync(pathIn(folder), changed)
  const lines: string[] = []
  const next = new Learning(folder, NOW_MS, (line) => void lines.push(line))
  expect(next.of(owner('key-1')).read()).toEqual({})
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(
    `Learned traffic: the file ${word === 'newer' ? 'was written by a newer' : 'is damaged'}`,
  )
  expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([changed])
})

test('a key stores at most 64 kB, shared by the newest categories', () => {
  const folder = temporaryFolder()
  const learning = new Learning(folder, NOW_MS)
  const many = Object.fromEntries(
    Array.from({ length: 128 }, (_, index) => [`Resource ${index}`, learned(NOW_MS + index)]),
  )
  learning.of(owner('key-1')).keep(many)
  learning.flush()
  const text = readFileSync(pathIn(folder), 'utf8')
  expect(text.length).toBeGreaterThan(40_000)
  expect(text.length).toBeLessThanOrEqual(64 * 1024)
  expect(text).toContain('Resource 127')
  expect(text).not.toContain('Resource 0"')
})

test('a monitor restores, saves every five minutes and at its end, and forgets with the key', async () => {
  const folder = temporaryFolder()
  const storage = { ...MEMORY_PROFILE_STORE, keepsSettings: () => true }
  const clock = new VirtualClock()
  const run = () => {
    const http = new ScriptedHttp()
    let remaining = 400
    http.reply = ({ url }) => {
      if (url.endsWith('/oauth/token')) return renewal('access')
      remaining -= 7
      return answerOf(200, '{}', quotaHeaders(remaining, 1, { limit: 500 }))
    }
    const learning = new Learning(folder, clock.wallMs())
    const ports = { clock, http, random: { next: () => 0.5 }, log: { note: () => {} }, learning }
    const monitor = new Monitor(ports, storage)
    monitor.connect(EXAMPLE_KEY)
    return monitor
  }
  const saved = () => Object.keys(new Learning(folder, 0).of({ ...EXAMPLE_KEY, isKept: () => true }).read())
  const first = run()
  await clock.advance(4.9 * MINUTE_MS)
  expect(existsSync(pathIn(folder))).toBe(false)
  await clock.advance(0.2 * MINUTE_MS)
  const [category] = saved()
  if (category === undefined) throw new Error('nothing was saved')
  const before = readFileSync(pathIn(folder), 'utf8')
  await clock.advance(2 * MINUTE_MS)
  first.stop()
  expect(readFileSync(pathIn(folder), 'utf8')).not.toBe(before)
  expect(clock.pending).toBe(0)

  const second = run()
  const restored = second.withProfile(EXAMPLE_KEY.id, ({ parts }) => parts.ledger.learned())
  expect(Object.keys(restored)).toContain(category)
  second.disconnect(EXAMPLE_KEY.id)
  expect(saved()).toEqual([])
  second.stop()
})
