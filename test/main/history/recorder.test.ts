import { expect, test } from 'vitest'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import type { Entry } from '../../../main/history/history-file.ts'
import { Recorder } from '../../../main/history/recorder.ts'
import {
  AT_MS,
  exampleProgram,
  exampleQuota,
  exampleSlot,
  exampleSnapshot,
} from '../hosts/terminal/example-snapshot.ts'

function recorded(snapshots: readonly Partial<Snapshot>[]): readonly Entry[] {
  const entries: Entry[] = []
  const recorder = new Recorder((entry) => entries.push(entry))
  for (const changes of snapshots)
    recorder.observe(exampleSnapshot({ requests: [], slots: [], ...changes }), () => undefined)
  return entries
}

const at = (seconds: number) => AT_MS + seconds * 1000
const rows = (seconds: number, changes: Parameters<typeof exampleQuota>[0]): Partial<Snapshot> => ({
  at: at(seconds),
  requests: [exampleQuota(changes)],
})
const samplesOf = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => (entry.kind === 'sample' ? [entry.sample] : []))

test('a change is recorded at once, an unchanged row every ten seconds', () => {
  const entries = recorded([
    rows(0, { remaining: 5 }),
    rows(1, { remaining: 5 }),
    rows(2, { remaining: 4 }),
    rows(3, { remaining: 4 }),
    rows(12, { remaining: 4 }),
  ])
  expect(samplesOf(entries).map(({ atMs }) => atMs)).toEqual([at(0), at(2), at(12)])
})

test('a header since the previous sample counts, even if the level has risen since', () => {
  const entries: Entry[] = []
  const recorder = new Recorder((entry) => entries.push(entry))
  const asked: unknown[] = []
  for (const one of [rows(0, { remaining: 9 }), rows(1, { remaining: 4, source: 'modelled' })]) {
    recorder.observe(exampleSnapshot({ slots: [], ...one }), (...about) => {
      asked.push(about)
      return 3
    })
  }
  expect(samplesOf(entries)).toMatchObject([{ remaining: 9 }, { remaining: 3, source: 'header' }])
  expect(asked).toEqual([[exampleQuota().category, at(0), at(1)]])
})

test('counts are since the previous sample, and restart with a reset counter', () => {
  const used = (own: number, elsewhere: number) => ({ used: { own, elsewhere } })
  const entries = recorded([
    rows(0, { ...used(3, 1), rejected: 1 }),
    rows(1, { ...used(5, 1), rejected: 2 }),
    rows(2, { ...used(2, 0), rejected: 0 }),
  ])
  expect(samplesOf(entries)).toMatchObject([
    { own: 3, elsewhere: 1, rejected: 1 },
    { own: 2, elsewhere: 0, rejected: 1 },
    { own: 2, elsewhere: 0, rejected: 0 },
  ])
})

test('a row that was never observed is recorded only if requests were counted', () => {
  const unseen = { source: 'default' as const, remaining: 320 }
  const entries = recorded([rows(0, unseen), rows(1, { ...unseen, used: { own: 1, elsewhere: 0 } })])
  expect(samplesOf(entries)).toMatchObject([{ atMs: at(1), own: 1, source: 'default' }])
})

test('the level of a row that is not checked is recorded only from a header', () => {
  const entries: Entry[] = []
  const recorder = new Recorder((entry) => entries.push(entry))
  const isChecked = [true, false, false, false]
  for (const [index, checked] of isChecked.entries()) {
    const changes = {
      remaining: 100 + index,
      source: 'modelled',
      state: checked ? 'ok' : 'not-checked',
    } as const
    recorder.observe(exampleSnapshot({ slots: [], ...rows(index, changes) }), () =>
      index === 2 ? 90 : undefined,
    )
  }
  expect(samplesOf(entries)).toMatchObject([
    { atMs: at(0), remaining: 100, source: 'modelled' },
    { atMs: at(2), remaining: 90, source: 'header' },
  ])
  const rejected = { state: 'not-checked', source: 'modelled', used: { own: 1, elsewhere: 0 } } as const
  expect(samplesOf(recorded([rows(0, rejected)]))).toMatchObject([{ own: 1, source: 'default' }])
})

test('slots are recorded when they change, and once an hour', () => {
  const slots = (seconds: number, own: number) => ({ at: at(seconds), slots: [exampleSlot({ own })] })
  const entries = recorded([slots(0, 1), slots(1, 1), slots(2, 2), slots(3_601, 2), slots(3_602, 2)])
  expect(entries.slice(1).map((entry) => entry.kind === 'slots' && entry.sample.atMs)).toEqual([
    at(0),
    at(2),
    at(3_602),
  ])
})

test('slots known only from the documented table are not recorded', () => {
  expect(recorded([{ slots: [exampleSlot({ source: 'default', own: 0 })] }]).slice(1)).toEqual([])
})

test('a key’s environment is recorded before its numbers, once', () => {
  const sim = { profile: { id: 'k', name: 'K', environment: 'sim' } } as const
  const entries = recorded([sim, sim, sim])
  expect(entries[0]).toEqual({ kind: 'profile', profile: 'k', environment: 'sim' })
  expect(entries.filter(({ kind }) => kind === 'profile')).toHaveLength(1)
})

test('requests of programs are since the previous sample, by name, and restart with the gateway', () => {
  const used = (name: string, id: string, forwarded: number) =>
    exampleProgram(name, {
      id,
      class: 'background',
      forwarded,
      use: [{ category: 'Accounts', forwarded, perSecond: 0, waiting: 0 }],
    })
  const entries = recorded([
    { at: at(0), programs: [used('bot', 'program-1', 3)] },
    { at: at(1), programs: [used('bot', 'program-1', 3)] },
    { at: at(2), programs: [used('bot', 'program-1', 5)] },
    { at: at(3) },
    { at: at(4), programs: [used('bot', 'program-1', 6)] },
    { at: at(5), programs: [used('other', 'program-1', 7)] },
  ])
  const programs = entries.flatMap((entry) => (entry.kind === 'program' ? [entry.sample] : []))
  expect(programs).toEqual([
    { atMs: at(0), program: 'bot', class: 'background', requests: 3 },
    { atMs: at(2), program: 'bot', class: 'background', requests: 2 },
    { atMs: at(4), program: 'bot', class: 'background', requests: 6 },
    { atMs: at(5), program: 'other', class: 'background', requests: 7 },
  ])
})

test('requests of the desk are since the previous sample, by machine, and restart with its Headroom', () => {
  const desk = (counts: Readonly<Record<string, number>>) => ({
    desk: {
      ...{ state: 'joined' as const, engine: { server: 'nats:4222', reachable: true }, dropped: 0 },
      members: Object.entries(counts).map(([name, total]) => ({
        ...{ id: `id of ${name}`, name, self: false, present: true, lastSeenMs: 0, perSecond: 0, total },
        counted: { Accounts: total },
      })),
    },
  })
  const entries = recorded([
    { at: at(0), ...desk({ SERVER: 400 }) },
    { at: at(1), ...desk({ SERVER: 400, LAPTOP: 7 }) },
    { at: at(2), ...desk({ SERVER: 405, LAPTOP: 8 }) },
    { at: at(3) },
    { at: at(4), ...desk({ SERVER: 2 }) },
  ])
  const samples = entries.flatMap((entry) => (entry.kind === 'desk' ? [entry.sample] : []))
  expect(samples).toEqual([
    { atMs: at(2), machine: 'SERVER', requests: 5 },
    { atMs: at(2), machine: 'LAPTOP', requests: 1 },
    { atMs: at(4), machine: 'SERVER', requests: 2 },
  ])
})

test('slots of the desk’s other machines are recorded with others’', () => {
  const entries = recorded([{ slots: [exampleSlot({ limit: 10, own: 1, desk: 2, elsewhere: 3, free: 4 })] }])
  expect(entries.at(-1)).toMatchObject({ kind: 'slots', sample: { own: 1, elsewhere: 5, free: 4 } })
})
