import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { historyOf, reportFrom } from '../../main/history/recorded-use.ts'
import { temporaryFolder } from '../main/storage/temporary-folder.ts'
import { categoryOf, ingest, PROFILE, SERIES } from './history-ingest.ts'

const WEEK_MS = 7 * 86_400_000

/** `node test/bench/history.ts` does this for 30 days and prints how long it takes. */
test('20 buckets at 1 Hz are stored, counted once each, and a week of all of them is read without their samples', () => {
  const folder = temporaryFolder()
  const { store, nowMs, samples } = ingest(folder, 1 / 24)
  expect(samples).toBe(SERIES * 3_600)
  const report = store.read((file) =>
    reportFrom(file, { profile: PROFILE, fromMs: nowMs - 3_600_000, toMs: nowMs }),
  )
  expect(report?.requests).toHaveLength(SERIES)
  for (const { knownMs } of report?.requests ?? []) expect(knownMs).toBeGreaterThan(3_590_000)
  const week = () =>
    Array.from({ length: SERIES }, (_, series) =>
      store.read((file) =>
        historyOf(file, {
          profile: PROFILE,
          category: categoryOf(series),
          fromMs: nowMs - WEEK_MS,
          toMs: nowMs,
          points: 300,
        }),
      ),
    )
  const all = week()
  expect(all.map((one) => one?.points.length)).not.toContain(0)
  // The query does not need the samples: rollups contain everything but the minute that is still open.
  const database = new DatabaseSync(join(folder, 'history.db'))
  const { changes } = database.prepare('DELETE FROM samples WHERE at < ?').run(nowMs - 120_000)
  database.close()
  expect(changes).toBeGreaterThan(0.9 * samples)
  expect(week()).toEqual(all)
  store.close()
}, 30_000)
