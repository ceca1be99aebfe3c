import type { Clock } from '../ports/ports.ts'
import type { Metric } from './metric-list.ts'
import type { MetricsSource } from './metrics-source.ts'

/** Hands metrics to a store. */
export interface MetricsExporter {
  /** Never rejects; in plain words why it failed, where it did. */
  send(metrics: readonly Metric[], atMs: number): Promise<string | undefined>
  close(): Promise<void>
}

export interface MetricsPushDeps {
  readonly source: MetricsSource
  readonly exporter: MetricsExporter
  readonly clock: Clock
  readonly intervalMs: number
  /** Where to, for the line that says it fails. */
  readonly host: string
  /** Told once when pushes begin to fail, and once when they work again. */
  say(line: string): void
}

export interface MetricsPush {
  /** After a last push. */
  close(): Promise<void>
}

const FIRST_MS = 1_000
const LAST_PUSH_MS = 1_000

/** Pushes the metrics regularly, one at a time: what a store does not take is not kept, the next one says more. */
export function startMetricsPush({
  source,
  exporter,
  clock,
  intervalMs,
  host,
  say,
}: MetricsPushDeps): MetricsPush {
  let isFailing = false
  let isUnderWay = false
  let cancel = () => {}
  const push = async () => {
    if (isUnderWay) return
    isUnderWay = true
    const why = await exporter.send(source.metrics(), clock.wallMs())
    isUnderWay = false
    if (why !== undefined && !isFailing) say(`metrics cannot be pushed to ${host}: ${why}`)
    if (why === undefined && isFailing) say(`metrics are pushed to ${host} again`)
    isFailing = why !== undefined
  }
  const pushIn = (ms: number) => {
    cancel = clock.after(ms, () => {
      void push()
      pushIn(intervalMs)
    })
  }
  pushIn(Math.min(FIRST_MS, intervalMs))
  return {
    close: async () => {
      cancel()
      await within(clock, LAST_PUSH_MS, push().then(exporter.close))
      source.close()
    },
  }
}

/** A store that does not answer may not hold up the end. */
function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve)
    void work.finally(() => {
      cancel()
      resolve()
    })
  })
}
