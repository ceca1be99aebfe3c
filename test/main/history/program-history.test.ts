import { expect, test } from 'vitest'
import { openSeriesFile } from '../../../main/history/series-file.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import {
  CATEGORY,
  EPOCH_MS,
  PROFILE,
  programsIn,
  record,
  reportOn,
  type StartedStore,
  startedStore,
} from './started-store.ts'

const MINUTE_MS = 60_000

function used({ store }: StartedStore, atMs: number, program: string, requests: number): void {
  const sample = { atMs, program, class: 'normal' as const, requests }
  store.add({ kind: 'program', profile: PROFILE, category: CATEGORY, sample })
}

function busyStore(folder: string): StartedStore {
  const started = startedStore(folder)
  record(started, 180, () => ({ own: 2, elsewhere: 1 }))
  used(started, EPOCH_MS, 'bot', 1)
  used(started, EPOCH_MS + 59_999, 'bot', 2)
  used(started, EPOCH_MS + MINUTE_MS, 'bot', 10)
  used(started, EPOCH_MS + 2 * MINUTE_MS, 'notes', 40)
  started.store.flush()
  return started
}

test('requests of programs are stored by the minute, and read in intervals of whole minutes', () => {
  const { store } = busyStore(temporaryFolder())
  const query = { fromMs: EPOCH_MS + 5_000, toMs: EPOCH_MS + 3 * MINUTE_MS }
  expect(programsIn(store, { ...query, columns: 300 })).toEqual({
    from: EPOCH_MS,
    resolutionMs: MINUTE_MS,
    programs: [
      { program: 'bot', requests: [3, 10, 0] },
      { program: 'notes', requests: [0, 0, 40] },
    ],
    own: [120, 120, 120],
    elsewhere: [60, 60, 60],
  })
  expect(programsIn(store, { ...query, columns: 2 })).toMatchObject({
    resolutionMs: 2 * MINUTE_MS,
    programs: [
      { program: 'bot', requests: [13, 0] },
      { program: 'notes', requests: [0, 40] },
    ],
    own: [240, 120],
    elsewhere: [120, 60],
  })
  expect(programsIn(store, { category: 'Positions', ...query, columns: 2 })?.programs).toEqual([])
})

test('the report names each program’s requests, busiest first', () => {
  const { store } = busyStore(temporaryFolder())
  const report = reportOn(store, EPOCH_MS, EPOCH_MS + 3 * MINUTE_MS)
  expect(report?.requests).toMatchObject([
    {
      category: CATEGORY,
      own: 360,
      programs: [
        { program: 'notes', requests: 40 },
        { program: 'bot', requests: 13 },
      ],
    },
  ])
})

test('programs in a file are read by other commands, and are deleted with their key', () => {
  const folder = temporaryFolder()
  const { store, clock } = busyStore(folder)
  const query = { profile: PROFILE, fromMs: EPOCH_MS, toMs: EPOCH_MS + 2 * MINUTE_MS }
  const read = () => {
    const opening = openSeriesFile(folder)
    if (opening.kind === 'failed') throw new Error(opening.line)
    try {
      return [...opening.file.programMinutes(query)]
    } finally {
      opening.file.close()
    }
  }
  expect(read()).toEqual([
    { category: CATEGORY, sample: { atMs: EPOCH_MS, program: 'bot', class: 'normal', requests: 3 } },
    {
      category: CATEGORY,
      sample: { atMs: EPOCH_MS + MINUTE_MS, program: 'bot', class: 'normal', requests: 10 },
    },
  ])
  store.add({ kind: 'forget', profile: PROFILE })
  store.flush()
  clock.advance(MINUTE_MS)
  expect(read()).toEqual([])
})
