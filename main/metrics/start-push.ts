import type { MonitorSurface } from '../monitor/monitor-surface.ts'
import type { Clock } from '../ports/ports.ts'
import type { ProcessFacts } from './metric-list.ts'
import { type MetricsPush, startMetricsPush } from './metrics-push.ts'
import { metricsSource } from './metrics-source.ts'
import type { OtlpOptions } from './otlp-choice.ts'

export interface PushDeps {
  readonly clock: Clock
  readonly process: ProcessFacts
  say(line: string): void
}

/** Pushes the metrics of a monitor by OTLP; OpenTelemetry's packages are loaded for this alone. */
export async function startOtlpPush(
  monitor: Pick<MonitorSurface, 'profiles' | 'snapshot' | 'subscribe'>,
  options: OtlpOptions,
  { clock, process, say }: PushDeps,
): Promise<MetricsPush> {
  const { otlpExporter } = await import('./otlp-exporter.ts')
  const exporter = otlpExporter(options, process)
  const { intervalMs, host } = options
  return startMetricsPush({ source: metricsSource(monitor, process), exporter, clock, intervalMs, host, say })
}
