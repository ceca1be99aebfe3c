import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import type { HistoryStore } from '../../main/history/history-store.ts'
import { ingest, SERIES, timedQueries } from './history-ingest.ts'

/**
 * What a month of history weighs and how fast it is read: `node test/bench/history.ts [--days 30]`.
 *
 * 20 buckets at 1 Hz through the real store, on a virtual clock, with its real flushes and compaction; then a week
 * of all of them, as a window would ask for it.
 */
const { values } = parseArgs({ options: { days: { type: 'string', default: '30' } } })
const days = Number(values.days)
const folder = mkdtempSync(join(tmpdir(), 'headroom-bench-'))
const say = (line: string) => void process.stdout.write(`${line}\n`)

try {
  const startedMs = performance.now()
  const { store, nowMs, samples, slowestFlushMs } = ingest(folder, days, (day, soFar) => {
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    if (day % 5 === 0) say(`day ${day}: after ${seconds} s, ${megabytes(soFar)} MB`)
  })
  const seconds = (performance.now() - startedMs) / 1000
  say(`${samples} samples: ${SERIES} buckets at 1 Hz for ${days} days, in ${seconds.toFixed(1)} s`)
  say(
    `${Math.round(samples / seconds)} samples a second; the slowest second's write took ${slowestFlushMs.toFixed(1)} ms`,
  )
  say(`size: ${megabytes(store)} MB`)
  for (const [name, times] of Object.entries(timedQueries(store, nowMs))) {
    say(
      `${name}: p50 ${times.p50.toFixed(2)} ms, p95 ${times.p95.toFixed(2)} ms, worst ${times.worst.toFixed(2)} ms`,
    )
  }
  store.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function megabytes(store: HistoryStore): string {
  const status = store.status()
  return ((status.kind === 'ok' ? status.bytes : 0) / 1e6).toFixed(1)
}
