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
  startedStore,
  usesIn,
} from './started-store.ts'

const MINUTE_MS = 60_000

/** Three minutes with one own and one other request a second, and the desk's 90 requests of two minutes. */
function withDesk(folder = temporaryFolder()) {
  const started = startedStore(folder)
  record(started, 180, () => ({ own: 1, elsewhere: 1 }))
  for (const [minute, machine, requests] of [
    [0, 'SERVER', 30],
    [0.5, 'LAPTOP', 20],
    [2, 'SERVER', 40],
  ] as const)
    started.store.add({
      kind: 'desk',
      profile: PROFILE,
      category: CATEGORY,
      sample: { atMs: EPOCH_MS + minute * MINUTE_MS, machine, requests },
    })
  started.store.flush()
  return started
}

const WHOLE = [EPOCH_MS, EPOCH_MS + 3 * MINUTE_MS] as const
const QUERY = { fromMs: WHOLE[0], toMs: WHOLE[1] }

test('requests of the desk’s other machines are a part of their own in charts and reports', () => {
  const { store } = withDesk()
  expect(programsIn(store, { ...QUERY, columns: 60 })).toMatchObject({
    own: [60, 60, 60],
    desk: [50, 0, 40],
    elsewhere: [60, 60, 60],
  })
  expect(programsIn(store, { ...QUERY, columns: 1 })?.desk).toEqual([90])
  expect(reportOn(store, ...WHOLE)?.requests).toMatchObject([
    {
      ...{ own: 180, desk: 90, elsewhere: 180 },
      machines: [
        { machine: 'SERVER', requests: 70 },
        { machine: 'LAPTOP', requests: 20 },
      ],
    },
  ])
})

test('without a desk, charts and reports have no such part', () => {
  const started = startedStore(temporaryFolder())
  record(started, 180, () => ({ own: 1, elsewhere: 1 }))
  started.store.flush()
  expect(programsIn(started.store, { ...QUERY, columns: 60 })).not.toHaveProperty('desk')
  expect(reportOn(started.store, ...WHOLE)?.requests[0]).not.toHaveProperty('desk')
})

test('for a plan, requests of the desk’s other machines count as others’', () => {
  const started = withDesk()
  record(started, 61, () => 100)
  started.store.flush()
  expect(usesIn(started.store, ...WHOLE)?.rows).toEqual({
    [CATEGORY]: [
      [EPOCH_MS, 60, 110, 50],
      [EPOCH_MS + MINUTE_MS, 60, 60],
      [EPOCH_MS + 2 * MINUTE_MS, 60, 100, 40],
    ],
  })
})

test('an export has a column for them', () => {
  const folder = temporaryFolder()
  const started = withDesk(folder)
  record(started, 61, () => 100)
  started.store.flush()
  const opening = openSeriesFile(folder)
  if (opening.kind === 'failed') throw new Error(opening.line)
  const minutes = [...opening.file.minutes({ ...QUERY, profile: PROFILE })]
  opening.file.close()
  expect(minutes.map(({ desk }) => desk)).toEqual([50, undefined, 40])
})
