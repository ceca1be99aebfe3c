import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { HistoryStore } from '../../main/history/history-store.ts'
import { ingest, SERIES, timedQueries } from './history-ingest.ts'
import { benchFlags, round, tell } from './result.ts'

/**
 * How large a month of history is and how fast it is read: `node test/bench/history.ts [--days 30] [--json]`.
 *
 * Writes 20 buckets once a second through the real store on a virtual clock, with its real flushes and
 * compaction. Then reads a week of all of them, as a window does.
 */
const { days } = benchFlags({ days: 30 })
const folder = mkdtempSync(join(tmpdir(), 'headroom-bench-'))
const WEEK = `7 days of ${SERIES} buckets`
const AIM_MS = 20

try {
  const startedMs = performance.now()
  const { store, nowMs, samples, writes } = ingest(folder, days, (day, soFar) => {
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    if (day % 5 === 0) process.stderr.write(`day ${day}: after ${seconds} s, ${megabytes(soFar)} MB\n`)
  })
  const seconds = (performance.now() - startedMs) / 1000
  const { [WEEK]: week, ...others } = timedQueries(store, nowMs)
  const ours = round(week?.p95 ?? Number.NaN)
  tell({
    what: `${WEEK}, read for a window`,
    unit: 'ms (95th percentile)',
    better: 'less',
    ours,
    details: {
      ...Object.fromEntries(Object.entries(others).map(([name, { p95 }]) => [`${name}, ms`, round(p95)])),
      "a second's write, ms": round(writes.p50),
      'its slowest in a thousand, ms': round(writes.p999),
      'its slowest, ms': round(writes.worst),
      'size of the file, MB': megabytes(store),
      'samples a second taken in': Math.round(samples / seconds),
    },
    aims: [{ what: `at most ${AIM_MS} ms`, isMet: ours <= AIM_MS }],
    how: `${days} days of ${SERIES} buckets that change every second, ${samples.toLocaleString('en')} samples, through the real store with its flushes and compaction on a virtual clock; each query 60 times.`,
  })
  store.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function megabytes(store: HistoryStore): number {
  const status = store.status()
  return round((status.kind === 'ok' ? status.bytes : 0) / 1e6)
}
