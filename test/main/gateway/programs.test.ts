import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GivenProgram } from '../../../main/gateway/given-programs.ts'
import { LOCAL_TOKEN_SECONDS, ONLY_KEY, Programs, programName } from '../../../main/gateway/programs.ts'
import { proves } from '../../proof/proves.ts'
import { SteppedClock } from '../stepped-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const BOT = { name: 'bot', class: 'normal', weight: 1, profile: 'key-1' } as const

const GIVEN = { name: 'Bot', class: 'critical', weight: 2, key: 'a-key-of-the-environment' } as const

function opened(dataFolder = temporaryFolder(), given: readonly GivenProgram[] = []) {
  let seed = 0
  const clock = new SteppedClock()
  const problems: string[] = []
  const programs = new Programs({
    dataFolder,
    given,
    clock,
    randomBytes: (size) => {
      seed += 1
      return new Uint8Array(size).fill(seed).fill(seed >> 8, 1, 2)
    },
    problem: (what) => void problems.push(what),
  })
  const add = (name: string) => {
    const added = programs.add({ ...BOT, name })
    if (!added.ok) throw new Error(added.why)
    return added.key
  }
  return { programs, add, clock, problems, dataFolder, file: join(dataFolder, 'gateway.json') }
}

test('recognises a program by its key, even after a restart, and the file has no part of it', () => {
  const { programs, add, dataFolder, file } = opened()
  const key = add('bot')
  programs.setPort(4791)
  expect(programs.ofBearer(key)?.name).toBe('bot')
  const again = opened(dataFolder)
  expect(again.programs.ofBearer(key)?.name).toBe('bot')
  expect(again.programs.port).toBe(4791)
  expect(readFileSync(file, 'utf8')).not.toContain(key.slice(0, 8))
  expect(again.programs.ofBearer(`${key}x`)).toBeUndefined()
  expect(again.programs.ofBearer(key.slice(0, -1))).toBeUndefined()
})

test('a local token is valid until it ends, and not for getting another one', () => {
  const { programs, add, clock } = opened()
  const key = add('bot')
  const { token = '' } = programs.tokenFor(key) ?? {}
  clock.advance(LOCAL_TOKEN_SECONDS * 1000 - 1)
  expect(programs.ofBearer(token)?.name).toBe('bot')
  expect(programs.tokenFor(token)).toBeUndefined()
  clock.advance(1)
  expect(programs.ofBearer(token)).toBeUndefined()
})

test('new local tokens replace a program’s oldest ones, never others’', () => {
  const { programs, add } = opened()
  const [bot, other] = [add('bot'), add('other')]
  const kept = programs.tokenFor(other)?.token ?? ''
  const tokens = Array.from({ length: 1_008 }, () => programs.tokenFor(bot)?.token ?? '')
  expect(programs.ofBearer(kept)?.name).toBe('other')
  expect(tokens.map((token) => programs.ofBearer(token) !== undefined)).toEqual([
    ...Array<boolean>(8).fill(false),
    ...Array<boolean>(1_000).fill(true),
  ])
})

test('a revoked program’s key and tokens are invalid, and its name is free', () => {
  const { programs, add } = opened()
  const key = add('bot')
  const { token = '' } = programs.tokenFor(key) ?? {}
  expect(programs.cut('BOT')?.program.name).toBe('bot')
  const next = add('bot')
  expect([key, token].map((bearer) => programs.ofBearer(bearer))).toEqual([undefined, undefined])
  expect(programs.ofBearer(next)?.name).toBe('bot')
  proves('G8', { level: 3, cases: 2 })
})

test('names are unique in any case, and 64 programs are the maximum', () => {
  const { programs, add } = opened()
  add('bot')
  expect(programs.add({ ...BOT, name: 'Bot' })).toMatchObject({ ok: false })
  for (let i = 1; i < 64; i += 1) add(`bot ${i}`)
  expect(programs.add({ ...BOT, name: 'one more' })).toMatchObject({ ok: false })
  expect(new Set(programs.list().map(({ id }) => id)).size).toBe(64)
})

test('rejects a name that looks like an existing one in another alphabet', () => {
  const { programs, add } = opened()
  add('bot')
  // The name has a Greek omicron instead of an o.
  expect(programs.add({ ...BOT, name: 'b\u03bft' })).toMatchObject({
    ok: false,
    why: expect.stringContaining('looks like'),
  })
  add('робот')
  expect(programs.list().map(({ name }) => name)).toEqual(['bot', 'робот'])
})

test('sets a damaged file aside, reports it, and starts with the gateway off', () => {
  const { dataFolder, file } = opened()
  writeFileSync(file, '{"schemaVersion":1,"port":4791,"programs":[{"id":"x"}]}')
  const { programs, problems } = opened(dataFolder)
  expect([programs.port, programs.list()]).toEqual([undefined, []])
  expect(problems).toEqual([expect.stringContaining('the file is damaged and was renamed to')])
})

test('keeps a newer Headroom’s file, and does not call it damaged', () => {
  const { dataFolder, file } = opened()
  const text = '{"schemaVersion":2,"programs":[{"id":"x","colour":"red"}]}'
  writeFileSync(file, text)
  const { problems } = opened(dataFolder)
  expect(problems).toEqual([
    expect.stringMatching(/written by a newer version of Headroom and renamed to gateway\.newer-/),
  ])
  const aside = readdirSync(dataFolder).find((name) => name.startsWith('gateway.newer-'))
  expect(readFileSync(join(dataFolder, aside ?? ''), 'utf8')).toBe(text)
})

test('reports what cannot be stored, and issues no key for it', () => {
  const { programs, dataFolder } = opened()
  rmSync(dataFolder, { recursive: true })
  expect(programs.add(BOT)).toMatchObject({ ok: false, why: expect.stringContaining('saving failed') })
  expect(programs.list()).toEqual([])
  expect(programs.setPort(1)).toMatchObject({ ok: false })
  expect(() => chmodSync(dataFolder, 0o700)).toThrow()
})

test('no name of a program breaks a line, a label or a table', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (name) => {
      if (!programName.safeParse(name).success) return
      expect(name).toBe(name.trim())
      expect(name).toMatch(/^[^\p{C}"'\\<>]{1,40}$/u)
    }),
    { numRuns: 5_000 },
  )
})

test('a program is shown with the end of its key, and without its digest', () => {
  const { programs, add } = opened()
  const key = add('bot')
  expect(programs.list()).toEqual([{ ...BOT, id: 'program-1', keyEnding: key.slice(-4) }])
  expect(programs.ofBearer(key)).toMatchObject(programs.list()[0]!)
})

test('a program’s id is unique while it exists', () => {
  const { programs, add } = opened()
  for (const name of ['one', 'two', 'three']) add(name)
  programs.cut('one')
  add('four')
  expect(programs.list().map(({ id }) => id)).toEqual(['program-2', 'program-3', 'program-4'])
})

test('the id of a program that was cut is not reused in this run', () => {
  const { programs, add, dataFolder } = opened()
  add('zed')
  const again = opened(dataFolder)
  for (const name of ['one', 'two']) {
    again.programs.cut(again.programs.list()[0]?.name ?? '')
    again.add(name)
  }
  again.programs.cut('two')
  again.add('zed')
  expect(again.programs.list().map(({ id }) => id)).toEqual(['program-4'])
  expect(programs.list()[0]?.id).toBe('program-1')
})

test('stores the port, and as the last one when turned off, while programs stay', () => {
  const { programs, add, dataFolder } = opened()
  add('bot')
  expect(programs.setPort(4791)).toEqual({ ok: true })
  expect(opened(dataFolder).programs.port).toBe(4791)
  expect(programs.setPort(undefined)).toEqual({ ok: true })
  expect(programs.port).toBeUndefined()
  const again = opened(dataFolder).programs
  expect([again.port, again.lastPort, again.list().map(({ name }) => name)]).toEqual([
    undefined,
    4791,
    ['bot'],
  ])
  again.setPort(undefined)
  expect(again.lastPort).toBe(4791)
  again.setPort(undefined, 5000)
  expect(again.lastPort).toBe(5000)
})

test('a revoked program stays revoked at the next start', () => {
  const { programs, add, dataFolder } = opened()
  const [bot, notes] = [add('bot'), add('notes')]
  expect(programs.cut('bot')?.saved).toEqual({ ok: true })
  expect(programs.cut('bot')).toBeUndefined()
  const again = opened(dataFolder).programs
  expect([again.ofBearer(bot), again.ofBearer(notes)?.name]).toEqual([undefined, 'notes'])
})

test('a program is revoked even if that cannot be stored', () => {
  const { programs, add, dataFolder } = opened()
  const key = add('bot')
  rmSync(dataFolder, { recursive: true })
  expect(programs.cut('bot')).toMatchObject({ program: { name: 'bot' }, saved: { ok: false } })
  expect([programs.ofBearer(key), programs.list()]).toEqual([undefined, []])
})

test('other programs’ tokens survive a revocation', () => {
  const { programs, add } = opened()
  const [bot, notes] = [add('bot'), add('notes')]
  const token = programs.tokenFor(notes)?.token ?? ''
  programs.tokenFor(bot)
  programs.cut('bot')
  expect(programs.ofBearer(token)?.name).toBe('notes')
})

test('recognises a program from the environment by its key; it uses the only connected key', () => {
  const { programs, file } = opened(undefined, [GIVEN])
  const { key, ...traits } = GIVEN
  expect(programs.list()).toEqual([{ ...traits, id: 'given:Bot', profile: ONLY_KEY, keyEnding: 'ment' }])
  expect(programs.ofBearer(key)?.id).toBe('given:Bot')
  const { token = '' } = programs.tokenFor(key) ?? {}
  expect(programs.ofBearer(token)?.id).toBe('given:Bot')
  expect(existsSync(file)).toBe(false)
})

test('a program from the environment hides only the stored one of its name, in any case', () => {
  const first = opened()
  const [stored, notes] = [first.add('bot'), first.add('notes')]
  const { programs } = opened(first.dataFolder, [GIVEN])
  expect(programs.list().map(({ id }) => id)).toEqual(['given:Bot', 'program-2'])
  expect([programs.ofBearer(stored), programs.ofBearer(notes)?.name]).toEqual([undefined, 'notes'])
  expect(programs.add({ ...BOT, name: 'BOT' })).toMatchObject({
    ok: false,
    why: expect.stringContaining('a program is already named BOT'),
  })
})

test('revoking a program from the environment ends its key and tokens, and stores nothing', () => {
  const { programs, file } = opened(undefined, [GIVEN, { ...GIVEN, name: 'other', key: 'another-long-key' }])
  const { token = '' } = programs.tokenFor(GIVEN.key) ?? {}
  expect(programs.cut('bot')).toMatchObject({
    program: { id: 'given:Bot' },
    isGiven: true,
    saved: { ok: true },
  })
  expect([GIVEN.key, token].map((bearer) => programs.ofBearer(bearer))).toEqual([undefined, undefined])
  expect(programs.list().map(({ name }) => name)).toEqual(['other'])
  expect(existsSync(file)).toBe(false)
})

test('revoking a program from the environment revokes the stored one of its name too', () => {
  const first = opened()
  const [stored, notes] = [first.add('bot'), first.add('notes')]
  const { programs } = opened(first.dataFolder, [GIVEN])
  programs.cut('BOT')
  expect([programs.ofBearer(stored), programs.list().map(({ name }) => name)]).toEqual([undefined, ['notes']])
  const { programs: next } = opened(first.dataFolder)
  expect([stored, notes].map((bearer) => next.ofBearer(bearer)?.name)).toEqual([undefined, 'notes'])
})

test('without a data folder programs last until the end', () => {
  const clock = new SteppedClock()
  const programs = new Programs({ clock, randomBytes: (size) => new Uint8Array(size), problem: () => {} })
  const added = programs.add(BOT)
  expect(added.ok && programs.ofBearer(added.key)?.name).toBe('bot')
  expect(programs.setPort(4791)).toEqual({ ok: true })
  expect(programs.port).toBe(4791)
})

const FINE = {
  id: 'program-1',
  name: 'bot',
  class: 'normal',
  weight: 1,
  profile: 'key-1',
  keyEnding: 'abcd',
  keyDigest: 'd'.repeat(43),
}

test.each([
  [{}, true],
  [{ id: 'i'.repeat(16), weight: 0.01, profile: 'p'.repeat(64), name: 'n'.repeat(40) }, true],
  [{ weight: 100, profile: '' }, true],
  [{ id: '' }, false],
  [{ id: 'i'.repeat(17) }, false],
  [{ name: 'n'.repeat(41) }, false],
  [{ class: 'urgent' }, false],
  [{ weight: 0 }, false],
  [{ weight: 101 }, false],
  [{ profile: 'p'.repeat(65) }, false],
  [{ keyEnding: 'abcde' }, false],
  [{ keyDigest: 'd'.repeat(42) }, false],
])('a stored program with %j is one: %s', (changes, isOne) => {
  const { dataFolder, file } = opened()
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, port: 65_535, programs: [{ ...FINE, ...changes }] }))
  const { programs, problems } = opened(dataFolder)
  expect([programs.list().length, problems.length]).toEqual(isOne ? [1, 0] : [0, 1])
})

test.each([
  [0, 64, true],
  [-1, 0, false],
  [65_536, 0, false],
  [4791.5, 0, false],
  [4791, 65, false],
])('a file with the port %d and %d programs is read: %s', (port, count, isRead) => {
  const { dataFolder, file } = opened()
  const all = Array.from({ length: count }, (_, i) => ({ ...FINE, id: `program-${i}`, name: `bot ${i}` }))
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, port, programs: all }))
  const { programs, problems } = opened(dataFolder)
  expect([programs.port, programs.list().length, problems.length]).toEqual(
    isRead ? [port, count, 0] : [undefined, 0, 1],
  )
})

test('a program may send orders only if that was granted, also after a restart', () => {
  const { programs, dataFolder, add } = opened()
  add('reader')
  programs.add({ ...BOT, name: 'trader', maxOrders: 30 })
  const granted = () =>
    opened(dataFolder)
      .programs.list()
      .map(({ name, maxOrders }) => [name, maxOrders])
  expect(granted()).toEqual([
    ['reader', undefined],
    ['trader', 30],
  ])
  const own = { ...GIVEN, maxOrders: 30 }
  const given = opened(temporaryFolder(), [
    own,
    { ...GIVEN, name: 'notes', key: 'another-key-of-environment' },
  ])
  expect(given.programs.list().map(({ maxOrders }) => maxOrders)).toEqual([30, undefined])
})

test('the grants of a disconnected key’s programs are withdrawn, even if that can’t be stored', () => {
  const { programs, dataFolder, add } = opened()
  add('reader')
  const bot = programs.add({ ...BOT, name: 'trader', maxOrders: 30 })
  programs.add({ ...BOT, name: 'other', profile: 'key-2', maxOrders: 30 })
  const granted = (of: Programs) => of.list().map(({ maxOrders }) => maxOrders)
  expect(programs.withdrawOrders('key-1')).toEqual({ names: ['trader'], saved: { ok: true } })
  expect(programs.withdrawOrders('key-1')).toEqual({ names: [], saved: { ok: true } })
  expect(granted(opened(dataFolder).programs)).toEqual([undefined, undefined, 30])
  expect(bot.ok && programs.ofBearer(bot.key)?.name).toBe('trader')
  rmSync(dataFolder, { recursive: true })
  expect(programs.withdrawOrders('key-2')).toMatchObject({ names: ['other'], saved: { ok: false } })
  expect(granted(programs)).toEqual([undefined, undefined, undefined])
})
