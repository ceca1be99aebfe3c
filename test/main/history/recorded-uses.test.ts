import { expect, test } from 'vitest'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { EPOCH_MS, PROFILE, record, startedStore, usesIn } from './started-store.ts'

const MINUTE_MS = 60_000

test('closed minutes with any use are listed by category, within the interval only', () => {
  const started = startedStore(temporaryFolder())
  // Two requests of its own in the first minute, three of others in the third, none in between.
  const uses = (second: number) => ({
    own: second === 3 || second === 7 ? 1 : 0,
    elsewhere: second === 125 ? 3 : 0,
  })
  record(started, 245, uses)
  for (const [minute, requests] of [
    [0, 1],
    [3, 2],
  ] as const)
    started.store.add({
      kind: 'program',
      profile: PROFILE,
      category: 'Accounts',
      sample: { atMs: EPOCH_MS + minute * MINUTE_MS, program: 'scanner', class: 'normal', requests },
    })
  started.store.flush()
  const all = usesIn(started.store, EPOCH_MS, EPOCH_MS + 10 * MINUTE_MS)
  expect(all).toEqual({
    rows: {
      Accounts: [
        [EPOCH_MS, 2, 0],
        [EPOCH_MS + 2 * MINUTE_MS, 0, 3],
      ],
    },
    programs: [
      {
        program: 'scanner',
        category: 'Accounts',
        minutes: [
          [EPOCH_MS, 1],
          [EPOCH_MS + 3 * MINUTE_MS, 2],
        ],
      },
    ],
  })
  const later = usesIn(started.store, EPOCH_MS + MINUTE_MS, EPOCH_MS + 2 * MINUTE_MS)
  expect(later).toEqual({ rows: {}, programs: [] })
  expect(usesIn(started.store, EPOCH_MS, EPOCH_MS + 10 * MINUTE_MS, 'another')).toEqual({
    rows: {},
    programs: [],
  })
})
