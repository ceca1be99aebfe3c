import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { DeskSummary } from '../../../app/contract/desk.ts'
import {
  type ProgramSummary,
  type Snapshot,
  type StreamSummary,
  snapshotSchema,
} from '../../../app/contract/snapshot.ts'
import { boundedSnapshot, MAX_SNAPSHOTS_BYTES } from '../../../main/monitor/bounded-snapshot.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { proves } from '../../proof/proves.ts'
import { DESK } from '../../renderer/fixtures.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { simulatedKey } from '../example-key.ts'
import { startHost } from '../hosts/browser/started-host.ts'
import {
  exampleQuota,
  exampleSlot,
  exampleSnapshot,
  exampleStream,
} from '../hosts/terminal/example-snapshot.ts'
import { renewal, ScriptedHttp } from '../scripted-http.ts'

const LINES_ARRIVE = { timeout: 30_000 }

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** A name of `length` characters of four bytes each, unlike that of any other number. */
const longName = (number: number, length: number) => `${number}${'🚀'.repeat(length)}`

function program(number: number, categories: readonly string[], nameLength: number): ProgramSummary {
  return {
    id: `program-${number}`,
    name: longName(number, nameLength),
    class: 'normal',
    weight: 1,
    keyEnding: 'abcd',
    lastSeenAt: 1_790_000_000_000,
    process: `${'p'.repeat(40)} ${'s'.repeat(40)} (1234567)`,
    forwarded: 123_456,
    coalesced: 123_456,
    refused: 123_456,
    rejected: 123_456,
    perSecond: number,
    waiting: 64,
    longestWaitMs: 123_456,
    streams: 3,
    use: categories.map((category, at) => ({
      category,
      forwarded: 123_456 + at,
      perSecond: 0.016666666666666666,
      waiting: 1,
      longestWaitMs: 123_456,
      nextTurnAt: 1_790_000_000_000,
      nextCameAt: 1_790_000_000_000,
      nextPatientUntil: 1_790_000_000_000,
      lastTurnAt: 1_790_000_000_000,
    })),
  }
}

interface Extent {
  readonly programs: number
  readonly quotas: number
  readonly streams: number
  readonly slots: number
  readonly nameLength: number
}

/** A snapshot with these numbers of programs, quotas, streams and slots, and with names of this length. */
function snapshotOf({ programs, quotas, streams, slots, nameLength }: Extent): Snapshot {
  const categories = Array.from({ length: quotas }, (_, number) => longName(number, nameLength))
  const ids = Array.from({ length: programs }, (_, number) => `program-${number}`)
  const rates = Object.fromEntries(ids.map((id) => [id, 0.016666666666666666]))
  return exampleSnapshot({
    requests: categories.map((category, number) =>
      exampleQuota({
        category,
        resource: category,
        state: number % 10 === 9 ? 'blocked' : 'ok',
        use: { total: number, own: number, elsewhere: 0, programs: rates },
      }),
    ),
    slots: Array.from({ length: slots }, (_, number) =>
      exampleSlot({ category: longName(number, nameLength) }),
    ),
    streams: Array.from({ length: streams }, (_, number): StreamSummary => {
      const symbolErrors = [{ symbol: longName(number, nameLength), error: longName(number, 50), at: 1 }]
      return exampleStream({
        id: `s${number}`,
        target: longName(number, 4 * nameLength),
        state: number % 10 === 9 ? 'stale' : 'live',
        symbolErrors,
        readers: 16,
        readBy: ids
          .slice(0, 16)
          .map((id) => ({ program: longName(Number(id.slice(8)), nameLength), readers: 1 })),
      })
    }),
    gateway: { state: 'serving', url: 'http://127.0.0.1:4791' },
    programs: ids.map((_, number) => program(number, categories, nameLength)),
  })
}

const MOST: Extent = { programs: 64, quotas: 141, streams: 205, slots: 20, nameLength: 40 }

test('64 programs with 141 long-named quotas each fit the bound, and are counted', () => {
  const whole = snapshotOf(MOST)
  expect(bytesOf(whole)).toBeGreaterThan(4 * MAX_SNAPSHOTS_BYTES)
  const cut = boundedSnapshot(whole, MAX_SNAPSHOTS_BYTES)
  expect(bytesOf(cut)).toBeLessThanOrEqual(MAX_SNAPSHOTS_BYTES)
  // Most of the available size is used.
  expect(bytesOf(cut)).toBeGreaterThan(0.9 * MAX_SNAPSHOTS_BYTES)
  expect(snapshotSchema.parse(cut)).toEqual(cut)
  for (const name of ['requests', 'slots', 'streams', 'programs'] as const)
    expect((cut[name]?.length ?? 0) + (cut.unlisted?.[name] ?? 0)).toBe(whole[name]?.length)
  for (const { use, unlisted = 0 } of cut.programs ?? []) expect(use.length + unlisted).toBe(MOST.quotas)
})

test('of a desk, all machines fit; counts are left out first, then programs’ use, then programs', () => {
  const whole = snapshotOf(MOST)
  const deskOf = (machines: number, programs: number): DeskSummary => ({
    ...DESK,
    members: Array.from({ length: machines }, (_, number) => ({
      ...{ id: `m${number}`, name: longName(number, 40), self: number === 0, present: true, lastSeenMs: 9 },
      ...{
        perSecond: 1,
        total: 9,
        counted: Object.fromEntries(whole.requests.map((row) => [row.category, 9])),
      },
      programs: Array.from({ length: programs }, (_, at) => ({
        ...{ name: longName(at, 40), perSecond: 1 },
        use: Array.from({ length: 2 }, (_, row) => ({
          ...{ category: longName(row, 40), perSecond: 1, waiting: 0 },
        })),
      })),
    })),
  })
  for (const [machines, programs, hasPrograms, hasUse] of [
    [32, 2, true, true],
    [32, 10, true, false],
    [32, 64, false, false],
  ] as const) {
    const cut = boundedSnapshot({ ...whole, desk: deskOf(machines, programs) }, MAX_SNAPSHOTS_BYTES)
    expect(bytesOf(cut)).toBeLessThanOrEqual(MAX_SNAPSHOTS_BYTES)
    expect(cut.desk?.members).toHaveLength(machines)
    for (const member of cut.desk?.members ?? []) {
      expect(member.counted).toBeUndefined()
      expect(member.programs !== undefined).toBe(hasPrograms)
      expect(member.programs?.some(({ use }) => use !== undefined) ?? false).toBe(hasUse)
    }
    expect(cut.requests.length).toBeGreaterThan(0)
  }
  const small = { ...whole, desk: DESK }
  expect(boundedSnapshot(small, MAX_SNAPSHOTS_BYTES).desk).toEqual(DESK)
})

test('programs with problems are listed first, then the busiest, each group in its order', () => {
  const whole = snapshotOf({ ...MOST, programs: 8 })
  const cut = boundedSnapshot(whole, 100_000)
  const troubled = whole.requests.filter(({ state }) => state === 'blocked')
  expect(cut.requests.filter(({ state }) => state === 'blocked').map(({ category }) => category)).toEqual(
    troubled.map(({ category }) => category),
  )
  const rest = cut.requests.filter(({ state }) => state === 'ok').map(({ use }) => use?.total ?? 0)
  const left = whole.requests.filter(
    ({ category, state }) => state === 'ok' && !cut.requests.some((row) => row.category === category),
  )
  expect(left.length).toBeGreaterThan(0)
  expect(Math.max(...left.map(({ use }) => use?.total ?? 0))).toBeLessThan(Math.min(...rest))
  expect(rest).toEqual(rest.toSorted((a, b) => a - b))
  const silent = ({ streams }: Snapshot) => streams.filter(({ state }) => state === 'stale').length
  expect(silent(cut)).toBe(Math.min(silent(whole), cut.streams.length))
  // Each list has its own share of the size.
  for (const list of [cut.slots, cut.streams, cut.programs]) expect(list?.length).toBeGreaterThan(0)
})

test('a row’s parts of use name listed programs only', () => {
  const cut = boundedSnapshot(snapshotOf(MOST), MAX_SNAPSHOTS_BYTES)
  const told = cut.requests.flatMap(({ category, use }) =>
    Object.keys(use?.programs ?? {}).map((id) => `${id} ${category}`),
  )
  const rows = new Set(cut.requests.map(({ category }) => category))
  const listed = (cut.programs ?? []).flatMap(({ id, use }) =>
    use.flatMap(({ category }) => (rows.has(category) ? [`${id} ${category}`] : [])),
  )
  expect(told.length).toBeGreaterThan(0)
  expect(told.toSorted()).toEqual(listed.toSorted())
})

test('a snapshot that fits is passed on unchanged', () => {
  const small = exampleSnapshot()
  expect(boundedSnapshot(small, MAX_SNAPSHOTS_BYTES)).toBe(small)
  expect(boundedSnapshot(small, bytesOf(small))).toBe(small)
  const cut = boundedSnapshot(small, bytesOf(small) - 1)
  expect(cut.unlisted).toEqual(expect.objectContaining({}))
  expect(cut).not.toHaveProperty('programs')
})

test('whatever names programs and the service use, the bound holds and everything dropped is counted', () => {
  const extent = fc.record({
    programs: fc.nat(64),
    quotas: fc.nat(141),
    streams: fc.nat(60),
    slots: fc.nat(20),
    nameLength: fc.nat(40),
  })
  let cases = 0
  fc.assert(
    fc.property(extent, fc.integer({ min: 8_000, max: 200_000 }), (of, most) => {
      cases += 1
      const whole = snapshotOf(of)
      const cut = boundedSnapshot(whole, most)
      expect(bytesOf(cut)).toBeLessThanOrEqual(most)
      expect(snapshotSchema.safeParse(cut).success).toBe(true)
      for (const name of ['requests', 'slots', 'streams', 'programs'] as const)
        expect((cut[name]?.length ?? 0) + (cut.unlisted?.[name] ?? 0)).toBe(whole[name]?.length)
    }),
    { numRuns: 40 },
  )
  proves('T14', { level: 2, cases })
}, 60_000)

/** Eight connected keys, each with everything that can be named. */
async function hostileMonitor(): Promise<Monitor> {
  const http = new ScriptedHttp()
  http.reply = () => renewal('access')
  const clock = new VirtualClock()
  const monitor = new Monitor({ clock, http, random: { next: () => 0.5 }, log: { note: () => {} } })
  onTestFinished(() => monitor.stop())
  for (let key = 0; key < 8; key += 1) {
    const id = `key-${key}`
    monitor.connect(simulatedKey('https://service.test', { id, clientId: `client-${key}` }))
    monitor.withProfile(id, (session) => {
      const { ledger, timeline } = session.parts
      for (let number = 0; number < 128; number += 1) {
        const ticket = ledger.sent(`/v3/${number}`, timeline.now())
        const rate = { resource: longName(number, 30), limit: 300, remaining: 200, periodSeconds: 300 }
        ledger.answered(ticket, rate, timeline.now(), false)
      }
      const categories = ledger.view(timeline.now()).map(({ category }) => category)
      const programs = Array.from({ length: 64 }, (_, number) => program(number, categories, 20))
      session.attachGateway({
        acquirePermit: async () => ({ kind: 'sent' }) as never,
        acquireStreamPermit: async () => ({ retryAtMs: 0 }),
        setDesk: () => {},
        markClockUncertain: () => {},
        summary: () => ({ gateway: { state: 'serving' }, programs }),
      })
      return { ok: true }
    })
  }
  await clock.advance(1_000)
  return monitor
}

test('a window on a real host gets all keys’ snapshots, however many programs and quotas they name', async () => {
  const monitor = await hostileMonitor()
  const snapshots = monitor.profiles().flatMap((id) => monitor.snapshot(id) ?? [])
  expect(snapshots).toHaveLength(8)
  expect(bytesOf(snapshots)).toBeLessThanOrEqual(MAX_SNAPSHOTS_BYTES + 16)
  // If only one key is connected, it gets the whole size.
  for (const { profile } of snapshots.slice(1)) monitor.disconnect(profile.id)
  const alone = monitor.snapshot('key-0')
  expect(bytesOf(alone)).toBeGreaterThan(0.9 * MAX_SNAPSHOTS_BYTES)
  expect(bytesOf(alone)).toBeLessThanOrEqual(MAX_SNAPSHOTS_BYTES)

  const host = await startHost()
  onTestFinished(() => host.stop())
  const socket = connect({ port: host.port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  let text = ''
  let isClosed = false
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  socket.on('close', () => {
    isClosed = true
  })
  const bearer = await host.bearer()
  socket.write(
    `GET /api/pushes HTTP/1.1\r\nhost: 127.0.0.1:${host.port}\r\nauthorization: Bearer ${bearer}\r\n\r\n`,
  )
  await vi.waitFor(() => expect(host.windows.sessions).toHaveLength(1), LINES_ARRIVE)
  const pushes = host.windows.sessions[0]?.pushes
  for (const snapshot of [...snapshots, alone]) if (snapshot) pushes?.snapshotChanged(snapshot)
  const heard = () =>
    text
      .split(/\r?\n/)
      .flatMap((line): Snapshot[] =>
        line.startsWith('{"channel":"snapshotChanged"') ? [JSON.parse(line).value] : [],
      )
  await vi.waitFor(() => {
    expect(isClosed).toBe(false)
    expect(new Set(heard().map(({ profile }) => profile.id)).size).toBe(8)
    expect(heard()).toContainEqual(alone)
  }, LINES_ARRIVE)
  proves('T14', { level: 3, cases: 9 })
}, 120_000)
