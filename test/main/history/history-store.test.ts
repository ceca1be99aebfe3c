import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import { START_MS, samples } from '../../app/history/arbitrary-samples.ts'
import { SteppedClock } from '../stepped-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import {
  CATEGORY,
  chartOf,
  EPOCH_MS,
  eventsIn,
  PROFILE,
  record,
  reportOn,
  sampleAt,
  startedStore,
} from './started-store.ts'

const HOUR_MS = 3_600_000

const tables = (folder: string) => {
  const database = new DatabaseSync(join(folder, 'history.db'), { readOnly: true })
  const all = (sql: string) => database.prepare(sql).all()
  const read = {
    samples: all('SELECT * FROM samples ORDER BY series, at'),
    minutes: all('SELECT * FROM minutes ORDER BY series, at'),
    quarters: all('SELECT * FROM quarters ORDER BY series, at'),
    hours: all('SELECT * FROM hours ORDER BY series, at'),
    check: all('PRAGMA integrity_check'),
  }
  database.close()
  return read
}

test('an entry is in the file within a second, but not before a batch is worth a write', () => {
  const folder = temporaryFolder()
  const { store, clock } = startedStore(folder)
  store.add({ kind: 'sample', profile: PROFILE, category: CATEGORY, sample: sampleAt(EPOCH_MS, 7) })
  clock.advance(499)
  expect(tables(folder).samples).toEqual([])
  clock.advance(1)
  expect(tables(folder).samples).toEqual([expect.objectContaining({ at: EPOCH_MS, remaining: 7 })])
})

test('a file removed while open is reported once, and a new one gets later entries', () => {
  const folder = temporaryFolder()
  const { store, clock, problems } = startedStore(folder)
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `history.db${end}`))
  store.add({ kind: 'sample', profile: PROFILE, category: CATEGORY, sample: sampleAt(EPOCH_MS, 7) })
  clock.advance(2_000)
  expect(problems).toEqual(['History file removed or replaced. A new one is in use; monitoring continues.'])
  expect(tables(folder).samples).toEqual([expect.objectContaining({ at: EPOCH_MS, remaining: 7 })])
})

test('only the owner can read the file', () => {
  const folder = temporaryFolder()
  startedStore(folder)
  for (const name of ['history.db', 'history.db-wal', 'history.db-shm'])
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
})

test('a query includes entries that are not written yet', () => {
  const { store } = startedStore(temporaryFolder())
  store.add({ kind: 'sample', profile: PROFILE, category: CATEGORY, sample: sampleAt(EPOCH_MS, 7) })
  expect(chartOf(store, EPOCH_MS, EPOCH_MS, 2)?.points).toEqual([
    { at: EPOCH_MS, remaining: 7, source: 'header' },
  ])
})

test('the history of an unknown key is empty', () => {
  const { store } = startedStore(temporaryFolder())
  expect(chartOf(store, 0, EPOCH_MS)).toEqual({ points: [], rejectedAt: [] })
})

test.each([15, 60, 5 * 60, 40 * 60])('a dip of one second shows in a chart of %i minutes', (minutes) => {
  const started = startedStore(temporaryFolder())
  record(started, 50 * 60, (second) => (second === 49 * 60 - 1 ? { remaining: 3, rejected: 1 } : 300))
  const toMs = started.clock.wallMs()
  const history = chartOf(started.store, toMs - minutes * 60_000, toMs)
  expect(Math.min(...(history?.points ?? []).map(({ remaining }) => remaining))).toBe(3)
  expect(history?.points.length).toBeLessThanOrEqual(300)
  expect(history?.rejectedAt).toHaveLength(1)
})

test.each([2, 15, 60, 5 * 60, 40 * 60])(
  'the lowest level of %i minutes is the same in chart and report, and not an estimate',
  (minutes) => {
    const started = startedStore(temporaryFolder())
    record(started, 45 * 60, (second) => {
      if (second % 60 === 31) return { remaining: 3 }
      return second % 10 === 1 ? 200 : { remaining: second % 60 === 33 ? 0 : 180, source: 'modelled' }
    })
    const toMs = started.clock.wallMs()
    const fromMs = toMs - minutes * 60_000
    const { points = [] } = chartOf(started.store, fromMs, toMs) ?? {}
    const measured = points.flatMap(({ source, remaining }) => (source === 'header' ? [remaining] : []))
    expect(Math.min(...measured)).toBe(3)
    if (minutes >= 60) expect(Math.min(...points.map(({ remaining }) => remaining))).toBe(3)
    expect(reportOn(started.store, fromMs, toMs)?.requests).toMatchObject([{ lowest: 3 }])
  },
)

test('a report counts the current minute', () => {
  const started = startedStore(temporaryFolder())
  record(started, 90, () => ({ own: 1, elsewhere: 2 }))
  const report = reportOn(started.store, EPOCH_MS, started.clock.wallMs())
  expect(report?.requests).toEqual([expect.objectContaining({ own: 90, elsewhere: 180 })])
  expect(report).toMatchObject({ from: EPOCH_MS, to: EPOCH_MS + 120_000 })
})

test('a report of hours counts each request once, at any resolution', () => {
  const started = startedStore(temporaryFolder())
  record(started, 7_000, (second) => ({ own: second % 3, remaining: 50 }))
  const { store } = started
  const whole = reportOn(store, EPOCH_MS, EPOCH_MS + 2 * HOUR_MS)
  expect(whole?.requests[0]?.own).toBe(7_000 - 1)
  expect(whole?.requests[0]?.nearMs).toBeGreaterThan(6_990_000)
  // A range of 20 min. Its first minute is not the start of a quarter of an hour.
  const part = reportOn(store, EPOCH_MS + 7 * 60_000, EPOCH_MS + 27 * 60_000)
  expect(part?.requests[0]?.own).toBe(1_200)
})

test('a restarted process continues as if it had never ended', () => {
  fc.assert(
    fc.property(samples(120), fc.array(fc.nat(120), { maxLength: 4 }), (all, ends) => {
      const whole = temporaryFolder()
      const broken = temporaryFolder()
      const play = (folder: string, cuts: ReadonlySet<number>) => {
        const clock = new SteppedClock(START_MS)
        let started = startedStore(folder, clock)
        for (const [index, sample] of all.entries()) {
          clock.advance(sample.atMs - clock.wallMs())
          if (cuts.has(index)) {
            started.store.close()
            started = startedStore(folder, clock)
          }
          started.store.add({ kind: 'sample', profile: PROFILE, category: CATEGORY, sample })
        }
        clock.advance(70 * 60_000)
        // Past minutes are only closed when something is written.
        started.store.add({
          kind: 'sample',
          profile: PROFILE,
          category: 'Other',
          sample: sampleAt(clock.wallMs(), 1),
        })
        started.store.close()
        return tables(folder)
      }
      expect(play(broken, new Set(ends))).toEqual(play(whole, new Set()))
    }),
    { numRuns: 25 },
  )
})

test('a sample still waiting when its minute closes counts in that minute', () => {
  const folder = temporaryFolder()
  const { store, clock } = startedStore(folder)
  const add = (own: number) =>
    store.add({
      kind: 'sample',
      profile: PROFILE,
      category: CATEGORY,
      sample: sampleAt(clock.wallMs(), 9, { own }),
    })
  add(2)
  clock.advance(59_500)
  add(3)
  // The compaction at the full minute runs before the usual time to write this sample.
  clock.advance(120_000)
  store.close()
  expect(tables(folder).minutes).toEqual([expect.objectContaining({ at: EPOCH_MS, own: 5 })])
})

test('a restart between two minutes leaves the first unchanged and knows the current values in the second', () => {
  const folder = temporaryFolder()
  const clock = new SteppedClock(EPOCH_MS)
  const add = ({ store }: ReturnType<typeof startedStore>, category: string) =>
    store.add({ kind: 'sample', profile: PROFILE, category, sample: sampleAt(clock.wallMs(), 9, { own: 1 }) })
  const before = startedStore(folder, clock)
  add(before, CATEGORY)
  clock.advance(55_000)
  add(before, CATEGORY)
  clock.advance(6_000)
  // Another row's write ends the minute of this one.
  add(before, 'Other')
  before.store.close()
  const after = startedStore(folder, clock)
  clock.advance(1_000)
  add(after, CATEGORY)
  clock.advance(120_000)
  const minutes = tables(folder).minutes.filter(({ series }) => series === 1)
  expect(minutes).toMatchObject([
    { at: EPOCH_MS, own: 2, known_ms: 17_000 },
    { at: EPOCH_MS + 60_000, own: 1, known_ms: 14_000 },
  ])
})

test('the record begins with its first sample, not with the hour or minute that it is rolled up into', () => {
  const clock = new SteppedClock(EPOCH_MS + 58 * 60_000 + 30_000)
  const started = startedStore(temporaryFolder(), clock)
  const firstMs = clock.wallMs()
  record(started, 180, () => 5)
  clock.advance(120_000)
  const { since } = chartOf(started.store, firstMs - HOUR_MS, clock.wallMs()) ?? {}
  expect(since).toBe(firstMs)
})

test('raw samples are deleted after their retention, a batch at a time; minutes stay', () => {
  const folder = temporaryFolder()
  const retention = { rawMs: HOUR_MS, rollupMs: 3 * HOUR_MS }
  const started = startedStore(folder, new SteppedClock(EPOCH_MS), retention)
  record(started, 2 * 3_600, () => 5)
  started.clock.advance(120_000)
  const after = tables(folder)
  const oldest = Number(after.samples[0]?.['at'])
  expect(oldest).toBeGreaterThanOrEqual(started.clock.wallMs() - HOUR_MS - 60_000)
  expect(after.minutes).toHaveLength(120)
  record(started, 3 * 3_600, () => 5)
  started.clock.advance(120_000)
  expect(Number(tables(folder).minutes[0]?.['at'])).toBeGreaterThanOrEqual(
    started.clock.wallMs() - 3 * HOUR_MS - 120_000,
  )
  expect(tables(folder).check).toEqual([{ integrity_check: 'ok' }])
})

test('events are read as they were stored, oldest first', () => {
  const { store } = startedStore(temporaryFolder())
  const event = (seq: number, at: number): LoggedEvent => ({
    seq,
    at,
    profile: PROFILE,
    kind: 'rate-limited',
    category: CATEGORY,
    retryAt: at + 1,
    requestId: `r${seq}`,
  })
  for (const [seq, at] of [
    [1, 10],
    [2, 20],
    [3, 30],
  ] as const)
    store.add({ kind: 'event', event: event(seq, at) })
  store.add({ kind: 'event', event: { ...event(4, 20), profile: 'another' } })
  expect(eventsIn(store, 10, 20)).toEqual([event(1, 10), event(2, 20)])
})

test('an event that only a newer version knows is skipped, without losing the others', () => {
  const { store, problems } = startedStore(temporaryFolder())
  const event: LoggedEvent = { seq: 1, at: 10, profile: PROFILE, kind: 'revoked' }
  const unknown = { ...event, seq: 2, at: 20, kind: 'tokens-shredded' } as unknown as LoggedEvent
  const last: LoggedEvent = { ...event, seq: 3, at: 30 }
  for (const one of [event, unknown, last]) store.add({ kind: 'event', event: one })
  expect(eventsIn(store, 0, 100)).toEqual([event, last])
  expect(problems).toEqual([])
})

test('slots include the sample that was current when the interval began', () => {
  const { store } = startedStore(temporaryFolder())
  const look = (atMs: number, own: number) => ({ atMs, limit: 40, own, elsewhere: 0, free: 40 - own })
  for (const sample of [look(10, 1), look(20, 2), look(30, 3)])
    store.add({ kind: 'slots', profile: PROFILE, category: 'Positions Stream', sample })
  expect(
    store.read((file) =>
      file.slots({ profile: PROFILE, category: 'Positions Stream', fromMs: 25, toMs: 30 }),
    ),
  ).toEqual([look(20, 2), look(30, 3)])
})

test('the size of the file is reported', () => {
  const { store } = startedStore(temporaryFolder())
  const status = store.status()
  expect(status.kind === 'ok' && status.bytes > 0).toBe(true)
})

test('closing writes waiting entries, and leaves no timer', () => {
  const folder = temporaryFolder()
  const { store, clock } = startedStore(folder)
  store.add({ kind: 'sample', profile: PROFILE, category: CATEGORY, sample: sampleAt(EPOCH_MS, 7) })
  store.close()
  expect(tables(folder).samples).toHaveLength(1)
  expect(clock.pending).toBe(0)
})

test('a disconnected key is forgotten: another with its id starts empty, and its rows are deleted', () => {
  const folder = temporaryFolder()
  const started = startedStore(folder)
  record(started, 3_000, () => ({ own: 1 }))
  const { store, clock } = started
  store.add({
    kind: 'event',
    event: { seq: 1, at: EPOCH_MS, profile: PROFILE, kind: 'revoked' },
  })
  store.add({ kind: 'forget', profile: PROFILE })
  expect(chartOf(store, EPOCH_MS, clock.wallMs())?.points).toEqual([])
  expect(eventsIn(store, 0, clock.wallMs())).toEqual([])
  record(started, 90, () => ({ own: 1 }))
  expect(reportOn(store, EPOCH_MS, clock.wallMs())?.requests).toMatchObject([{ own: 90 }])
  clock.advance(120_000)
  expect(tables(folder).samples).toHaveLength(90)
  const left = tables(folder)
  const series = [...left.minutes, ...left.quarters, ...left.hours].map((row) => row['series'])
  expect([...new Set(series)]).toEqual([2])
})

test('the retention setting survives the process', () => {
  const folder = temporaryFolder()
  const before = startedStore(folder)
  expect(before.store.setRetention({ rawMs: HOUR_MS, rollupMs: 24 * HOUR_MS })).toEqual({ ok: true })
  before.store.close()
  expect(startedStore(folder).store.status()).toMatchObject({ rawMs: HOUR_MS, rollupMs: 24 * HOUR_MS })
})
