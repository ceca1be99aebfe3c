import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LOCAL_TOKEN_SECONDS, Programs, programName } from '../../../main/gateway/programs.ts'
import { proves } from '../../proof/proves.ts'
import { FakeClock } from '../hosts/browser/fake-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const BOT = { name: 'bot', class: 'normal', weight: 1, profile: 'key-1' } as const

function opened(dataFolder = temporaryFolder()) {
  let seed = 0
  const clock = new FakeClock()
  const problems: string[] = []
  const programs = new Programs({
    dataFolder,
    clock,
    randomBytes: (size) => {
      seed += 1
      return new Uint8Array(size).fill(seed)
    },
    problem: (what) => void problems.push(what),
  })
  const add = (name: string) => {
    const added = programs.add({ ...BOT, name })
    if (added.kind === 'refused') throw new Error(added.why)
    return added.key
  }
  return { programs, add, clock, problems, dataFolder, file: join(dataFolder, 'gateway.json') }
}

test('a program is known by its key, also after a restart, and the file holds no part of it', () => {
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

test('a local token serves until it ends, and not for getting another one', () => {
  const { programs, add, clock } = opened()
  const key = add('bot')
  const { token = '' } = programs.tokenFor(key) ?? {}
  clock.advance(LOCAL_TOKEN_SECONDS * 1000 - 1)
  expect(programs.ofBearer(token)?.name).toBe('bot')
  expect(programs.tokenFor(token)).toBeUndefined()
  clock.advance(1)
  expect(programs.ofBearer(token)).toBeUndefined()
})

test('the oldest local tokens of a program make way for new ones, and those of others stay', () => {
  const { programs, add } = opened()
  const [bot, other] = [add('bot'), add('other')]
  const kept = programs.tokenFor(other)?.token ?? ''
  const tokens = Array.from({ length: 40 }, () => programs.tokenFor(bot)?.token ?? '')
  expect(programs.ofBearer(kept)?.name).toBe('other')
  expect(tokens.map((token) => programs.ofBearer(token) !== undefined)).toEqual([
    ...Array<boolean>(8).fill(false),
    ...Array<boolean>(32).fill(true),
  ])
})

test('of a program that is cut off neither key nor token counts, and another one may have its name', () => {
  const { programs, add } = opened()
  const key = add('bot')
  const { token = '' } = programs.tokenFor(key) ?? {}
  expect(programs.cut('BOT')?.program.name).toBe('bot')
  const next = add('bot')
  expect([key, token].map((bearer) => programs.ofBearer(bearer))).toEqual([undefined, undefined])
  expect(programs.ofBearer(next)?.name).toBe('bot')
  proves('G8', { level: 3, cases: 2 })
})

test('a name is taken once, whatever its case, and 64 programs are the most', () => {
  const { programs, add } = opened()
  add('bot')
  expect(programs.add({ ...BOT, name: 'Bot' })).toMatchObject({ kind: 'refused' })
  for (let i = 1; i < 64; i += 1) add(`bot ${i}`)
  expect(programs.add({ ...BOT, name: 'one more' })).toMatchObject({ kind: 'refused' })
  expect(new Set(programs.list().map(({ id }) => id)).size).toBe(64)
})

test('a name that looks like one that is there, in another alphabet, is refused', () => {
  const { programs, add } = opened()
  add('bot')
  // With a Greek omicron.
  expect(programs.add({ ...BOT, name: 'b\u03bft' })).toMatchObject({
    kind: 'refused',
    why: expect.stringContaining('looks like'),
  })
  add('робот')
  expect(programs.list().map(({ name }) => name)).toEqual(['bot', 'робот'])
})

test('a file that is damaged is set aside and told, and the gateway is off', () => {
  const { dataFolder, file } = opened()
  writeFileSync(file, '{"schemaVersion":1,"port":4791,"programs":[{"id":"x"}]}')
  const { programs, problems } = opened(dataFolder)
  expect([programs.port, programs.list()]).toEqual([undefined, []])
  expect(problems).toEqual([expect.stringContaining('were damaged and are kept as')])
})

test('a file of a newer Headroom is kept for it, and is not called damaged', () => {
  const { dataFolder, file } = opened()
  const text = '{"schemaVersion":2,"programs":[{"id":"x","colour":"red"}]}'
  writeFileSync(file, text)
  const { problems } = opened(dataFolder)
  expect(problems).toEqual([
    expect.stringMatching(/are of a newer Headroom and are kept for it as gateway\.newer-/),
  ])
  const aside = readdirSync(dataFolder).find((name) => name.startsWith('gateway.newer-'))
  expect(readFileSync(join(dataFolder, aside ?? ''), 'utf8')).toBe(text)
})

test('what cannot be stored is said, and a program that could not be stored has no key', () => {
  const { programs, dataFolder } = opened()
  rmSync(dataFolder, { recursive: true })
  expect(programs.add(BOT)).toMatchObject({ kind: 'refused', why: expect.stringContaining('stored') })
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
