import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, expect, test } from 'vitest'
import type { DeskSummary } from '../../../../app/contract/desk.ts'
import {
  type ProgramSummary,
  type RequestQuota,
  type Snapshot,
  snapshotSchema,
} from '../../../../app/contract/snapshot.ts'
import { ChangeReporter } from '../../../../main/hosts/terminal/changes.ts'
import type { WatchFlags } from '../../../../main/hosts/terminal/flags.ts'
import { jsonLinesSchema } from '../../../../main/hosts/terminal/json-lines.ts'
import { proves } from '../../../proof/proves.ts'
import { DESK } from '../../../renderer/fixtures.ts'
import { AT_MS, exampleProgram, exampleSnapshot, exampleStream } from './example-snapshot.ts'
import { virtualWatch } from './virtual-watch.ts'

const SCHEMA_FILE = fileURLToPath(
  new URL('../../../../main/hosts/terminal/json-lines.schema.json', import.meta.url),
)
const MINUTES = 10

type Row = Readonly<Record<string, unknown>>
type Line = Row & { readonly type: string; readonly at: number }

async function linesOf(flags: WatchFlags): Promise<{ lines: readonly Line[]; bytes: number }> {
  const { lines } = await virtualWatch({ json: true, for: MINUTES * 60, ...flags })
  return {
    lines: lines.map((text) => JSON.parse(text) as Line),
    bytes: lines.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0),
  }
}

const checker = (schema: object) =>
  new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema)
const schemaOfFile = (): object => JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'))

let all: Awaited<ReturnType<typeof linesOf>>
let changes: Awaited<ReturnType<typeof linesOf>>
beforeAll(async () => {
  all = await linesOf({})
  changes = await linesOf({ changes: true })
}, 60_000)

test('the schema in the repository matches the one that parses the lines', async () => {
  await expect(jsonLinesSchema()).toMatchFileSnapshot(SCHEMA_FILE)
})

test('ten minutes of lines, whole and changed, match the schema', () => {
  const check = checker(schemaOfFile())
  for (const line of [...all.lines, ...changes.lines]) {
    const isValid = check(line)
    if (!isValid)
      throw new Error(`${JSON.stringify(line).slice(0, 300)} ${JSON.stringify(check.errors?.slice(0, 5))}`)
  }
  const kinds = new Set(all.lines.map((line) => line['kind']).filter(Boolean))
  expect([...kinds]).toEqual(
    expect.arrayContaining([
      'token-refreshed',
      'token-refresh-failed',
      'stream-opened',
      'stream-restarted',
      'elsewhere',
    ]),
  )
  expect(new Set([...all.lines, ...changes.lines].map(({ type }) => type))).toEqual(
    new Set(['snapshot', 'event', 'changes']),
  )
  const [first] = all.lines
  const { v: _, ...unversioned } = { v: 0, ...first }
  for (const wrong of [{}, { v: 1 }, { ...first, v: 2 }, unversioned, { ...first, at: 'now' }]) {
    expect(check(wrong)).toBe(false)
  }
  proves('J1', { level: 2, cases: all.lines.length + changes.lines.length })
})

/** No object may have a field that its schema does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([name, value]) => [name, closed(value)] as const)
  return { ...Object.fromEntries(entries), ...('properties' in schema && { additionalProperties: false }) }
}

test('every written field is in the schema', () => {
  const check = checker(closed(schemaOfFile()) as object)
  const unknown = [...all.lines, ...changes.lines].flatMap((line) => {
    check(line)
    return (check.errors ?? [])
      .filter(({ keyword }) => keyword === 'additionalProperties')
      .map(({ instancePath, params }) => `${line.type} ${instancePath} ${params['additionalProperty']}`)
  })
  expect(unknown.slice(0, 20)).toEqual([])
})

test('--changes gives the same numbers in a tenth of the bytes, and a whole snapshot each minute', () => {
  const wholeAt = new Map(all.lines.filter(({ type }) => type === 'snapshot').map((line) => [line.at, line]))
  let state: Row = {}
  for (const line of changes.lines.filter(({ type }) => type !== 'event')) {
    state = line.type === 'snapshot' ? line : applied(state, line)
    expect(exact(state)).toEqual(exact(wholeAt.get(line.at) ?? {}))
  }
  expect(changes.lines.filter(({ type }) => type === 'snapshot')).toHaveLength(MINUTES)
  expect(changes.bytes).toBeLessThan(all.bytes / 10)
})

/** Applies the changes to the stored objects, as every reader of the lines does. */
function applied(state: Row, { gone, ...line }: Row): Row {
  const tables = Object.entries({ requests: 'category', slots: 'category', streams: 'id' }).map(
    ([name, key]) => {
      const changed = new Map(((line[name] ?? []) as readonly Row[]).map((row) => [row[key], row]))
      const lost = (gone as Readonly<Record<string, readonly unknown[]>> | undefined)?.[name] ?? []
      const kept = (state[name] as readonly Row[]).filter((row) => !lost.includes(row[key]))
      const known = new Set(kept.map((row) => row[key]))
      const fresh = [...changed.values()].filter((row) => !known.has(row[key]))
      return [name, [...kept.map((row) => ({ ...row, ...changed.get(row[key]) })), ...fresh]] as const
    },
  )
  return { ...state, ...line, profile: state['profile'], ...Object.fromEntries(tables) }
}

/** The values that `--changes` reports exactly: all except forecasts and estimates. */
function exact({ requests, slots, streams, service, keystore, access, refresh }: Row) {
  const rows = (requests as readonly Row[]).map((row) =>
    ['category', 'remaining', 'low', 'high', 'limit', 'state', 'source', 'observedAt', 'blockedUntil'].map(
      (name) => row[name] ?? null,
    ),
  )
  const states = (streams as readonly Row[]).map((row) => [row['id'], row['state'], row['restarts']])
  return { rows, slots, states, service, keystore, access, refresh }
}

test('a field that only time moves is no change; a number, a removed field and a removed row are', () => {
  const before = exampleSnapshot()
  const told = new ChangeReporter()
  told.whole(before)
  const later = (changes: Partial<Snapshot>): Snapshot => ({
    ...before,
    at: AT_MS + 1000,
    revision: 2,
    ...changes,
  })
  const withFirst = (first: RequestQuota) => later({ requests: [first, ...before.requests.slice(1)] })
  const row = before.requests[0]
  if (row?.fullAt === undefined) throw new Error('the example has no forecast')
  const moved = { ...row, asOf: AT_MS + 1000, level: 300.9, fullAt: row.fullAt + 9_000 }
  expect(told.changes(withFirst(moved))).toBeUndefined()
  // The value moves slowly, but by now it differs enough from the last reported one.
  expect(told.changes(withFirst({ ...moved, fullAt: row.fullAt + 10_000 }))).toEqual({
    revision: 2,
    at: AT_MS + 1000,
    profile: 'simulator',
    requests: [{ category: 'Accounts', fullAt: row.fullAt + 10_000 }],
  })
  const { nextAt: _, ...idle } = { ...moved, fullAt: row.fullAt + 10_000, remaining: 299 }
  expect(told.changes(withFirst(idle))?.requests).toEqual([
    { category: 'Accounts', remaining: 299, nextAt: null },
  ])
  const other = later({
    requests: [idle, ...before.requests.slice(1)],
    streams: [exampleStream({ id: 's2' })],
  })
  expect(told.changes(other)).toMatchObject({
    streams: [{ id: 's2', target: 'SIM1001' }],
    gone: { streams: ['s1'] },
  })
  expect(told.changes(other)).toBeUndefined()
  expect(told.changes({ ...other, verdict: { kind: 'blocked' } })).toMatchObject({
    verdict: { kind: 'blocked' },
  })
})

test('a program that is added, calls, or is cut off is a change, and so is turning the gateway off', () => {
  const before = exampleSnapshot()
  const program = exampleProgram('bot', {
    id: 'p1',
    lastSeenAt: AT_MS,
    forwarded: 4,
    perSecond: 0.5,
    use: [{ category: 'Accounts', forwarded: 4, perSecond: 0.5, waiting: 0 }],
  })
  const gateway = { state: 'serving' as const, url: 'http://127.0.0.1:4791' }
  const told = new ChangeReporter()
  told.whole(before)
  const check = checker(schemaOfFile())
  const changesTo = (snapshot: Snapshot) => {
    const found = told.changes(snapshot)
    if (found !== undefined)
      expect(check({ v: 1, type: 'changes', ...found }), JSON.stringify(check.errors)).toBe(true)
    return found
  }
  expect(changesTo({ ...before, gateway, programs: [program] })).toMatchObject({
    gateway,
    programs: [program],
  })
  const seen = { ...program, lastSeenAt: AT_MS + 500, perSecond: 0.51 }
  expect(changesTo({ ...before, gateway, programs: [seen] })).toBeUndefined()
  expect(changesTo({ ...before, gateway, programs: [{ ...seen, forwarded: 5 }] })).toMatchObject({
    programs: [{ id: 'p1', forwarded: 5 }],
  })
  expect(changesTo({ ...before, gateway, programs: [] })).toMatchObject({ gone: { programs: ['p1'] } })
  expect(changesTo(before)).toMatchObject({ gateway: null })
})

test('a program’s counts by category and its turns are reported with its totals', () => {
  const bot = (forwarded: number, nextTurnAt: number) =>
    exampleProgram('bot', {
      id: 'p1',
      lastSeenAt: AT_MS,
      perSecond: 0.5,
      forwarded,
      waiting: 1,
      use: [{ category: 'Accounts', forwarded, perSecond: 0.5, waiting: 1, nextTurnAt }],
    })
  const before = exampleSnapshot()
  const told = new ChangeReporter()
  told.whole({ ...before, programs: [bot(1_000, AT_MS)] })
  const changed = (program: ProgramSummary) => told.changes({ ...before, programs: [program] })?.programs
  const counted = bot(1_001, AT_MS + 9_000)
  expect(changed(counted)).toEqual([{ id: 'p1', forwarded: 1_001, use: counted.use }])
  const later = bot(1_001, AT_MS + 30_000)
  expect(changed(later)).toEqual([{ id: 'p1', use: later.use }])
})

test('of a desk, machines and rates are reported, but neither ages nor each ping', () => {
  const before = exampleSnapshot({ desk: DESK })
  const told = new ChangeReporter()
  told.whole(before)
  const check = checker(schemaOfFile())
  const changesTo = (desk: DeskSummary | undefined) => {
    const { desk: _, ...rest } = before
    const found = told.changes(desk === undefined ? rest : { ...rest, desk })
    const line = { v: 1, type: 'changes', revision: 1, at: AT_MS, profile: 'simulator', ...found }
    expect(check(line), JSON.stringify(check.errors)).toBe(true)
    return found?.['desk']
  }
  const [self, laptop, server] = DESK.members
  if (self === undefined || laptop === undefined || server === undefined) throw new Error('no member')
  const engine = { ...DESK.engine, roundTripMs: 9 }
  const aged = { ...DESK, engine, members: [self, { ...laptop, lastSeenMs: 900 }, server] }
  expect(changesTo(aged)).toBeUndefined()
  const busier = { ...aged, members: [self, { ...laptop, perSecond: 0.5 }, server] }
  expect(changesTo(busier)).toEqual(busier)
  const lost = { ...busier, members: [self, { ...laptop, perSecond: 0.5, present: false }, server] }
  expect(changesTo(lost)).toEqual(lost)
  expect(changesTo({ ...lost, members: lost.members.slice(0, 2) })).toMatchObject({ members: [{}, {}] })
  expect(changesTo(undefined)).toBeNull()
})

test('an unreachable sign-in host, dropped items and their end are reported; no field is missing', () => {
  const before = exampleSnapshot()
  const told = new ChangeReporter()
  told.whole(before)
  const check = checker(schemaOfFile())
  const changesTo = (snapshot: Snapshot) => {
    const { revision: _, at: __, profile: ___, ...found } = told.changes(snapshot) ?? {}
    const line = { v: 1, type: 'changes', revision: 1, at: AT_MS, profile: 'simulator', ...found }
    expect(check(line), JSON.stringify(check.errors)).toBe(true)
    return found
  }
  const away = {
    signInHost: { host: 'signin.test', since: AT_MS, why: 'connection refused' },
    unlisted: { requests: 3 },
  }
  expect(changesTo({ ...before, ...away })).toEqual(away)
  expect(changesTo({ ...before, ...away })).toEqual({})
  expect(changesTo(before)).toEqual({ signInHost: null, unlisted: null })
  const tables = ['requests', 'slots', 'streams', 'programs']
  for (const name of Object.keys(snapshotSchema.shape)) {
    if (['revision', 'at', 'profile', ...tables].includes(name)) continue
    const one = new ChangeReporter()
    one.whole(before)
    expect(Object.keys(one.changes({ ...before, [name]: { other: 1 } }) ?? {})).toContain(name)
  }
  const health = { severity: 'ok', cause: 'ok', title: 'All is well.', action: '' } as const
  expect(changesTo({ ...before, health })).toEqual({ health })
  expect(changesTo({ ...before, health: { ...health, title: 'All is well still.' } })).toEqual({})
  proves('J1', { level: 2, cases: Object.keys(snapshotSchema.shape).length })
})
