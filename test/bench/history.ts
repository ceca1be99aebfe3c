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
  const { store, nowMs, samples, writes } = ingest(folder, days, (day, soFar) => {
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    if (day % 5 === 0) say(`day ${day}: after ${seconds} s, ${megabytes(soFar)} MB`)
  })
  const seconds = (performance.now() - startedMs) / 1000
  say(`${samples} samples: ${SERIES} buckets at 1 Hz for ${days} days, in ${seconds.toFixed(1)} s`)
  say(`${Math.round(samples / seconds)} samples a second`)
  const { p50, p95, p999, worst } = writes
  say(`a second's write: ${ms(p50)}, p95 ${ms(p95)}, p99.9 ${ms(p999)}, worst ${ms(worst)}`)
  say(`size: ${megabytes(store)} MB`)
  for (const [name, times] of Object.entries(timedQueries(store, nowMs))) {
    say(`${name}: p50 ${ms(times.p50)}, p95 ${ms(times.p95)}, worst ${ms(times.worst)}`)
  }
  store.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`
}

function megabytes(store: HistoryStore): string {
  const status = store.status()
  return ((status.kind === 'ok' ? status.bytes : 0) / 1e6).toFixed(1)
}
