import type { MonitorSurface } from '../monitor/monitor-surface.ts'
import { within } from '../network/deadline.ts'
import type { Clock } from '../ports/ports.ts'
import type { Metric, ProcessFacts } from './metric-list.ts'
import type { OtlpOptions } from './metrics-options.ts'
import { type MetricsSource, metricsSource } from './metrics-source.ts'

export interface MetricsExporter {
  /**
   * Sends once. Resolves with `undefined` on success, and with the reason in plain words on failure. Never
   * rejects.
   */
  send(metrics: readonly Metric[], atMs: number): Promise<string | undefined>
  close(): Promise<void>
}

export interface MetricsPushDeps extends Pick<OtlpOptions, 'intervalMs' | 'host'> {
  readonly source: MetricsSource
  readonly exporter: MetricsExporter
  readonly clock: Clock
  /** Called once when pushes start to fail, and once when they work again. */
  say(line: string): void
}

export interface MetricsPush {
  /** Pushes once more, then stops. */
  close(): Promise<void>
}

const FIRST_MS = 1_000
const LAST_PUSH_MS = 1_000

/**
 * Pushes the metrics at an interval, one push at a time. A failed push is not repeated, because the next one
 * has newer values.
 */
export function startMetricsPush(deps: MetricsPushDeps): MetricsPush {
  const { source, exporter, clock, intervalMs, host, say } = deps
  let isFailing = false
  let isUnderWay = false
  let cancel = () => {}
  const push = async () => {
    if (isUnderWay) return
    isUnderWay = true
    const why = await exporter.send(source.metrics(), clock.wallMs())
    isUnderWay = false
    if (why !== undefined && !isFailing) say(`can't push metrics to ${host}: ${why}`)
    if (why === undefined && isFailing) say(`pushing metrics to ${host} works again`)
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

/** Pushes the metrics of a monitor by OTLP. OpenTelemetry's packages are loaded only here. */
export async function startOtlpPush(
  monitor: Pick<MonitorSurface, 'profiles' | 'snapshot' | 'subscribe'>,
  options: OtlpOptions,
  { process, ...deps }: Pick<MetricsPushDeps, 'clock' | 'say'> & { readonly process: ProcessFacts },
): Promise<MetricsPush> {
  const { otlpExporter } = await import('./otlp-exporter.ts')
  const exporter = otlpExporter(options, process)
  return startMetricsPush({ ...options, ...deps, source: metricsSource(monitor, process), exporter })
}
