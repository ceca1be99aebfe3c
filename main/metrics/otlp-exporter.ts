import { hostname } from 'node:os'
import { type HrTime, ValueType } from '@opentelemetry/api'
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics'
import { systemErrorText } from '../storage/system-error.ts'
import type { Metric, ProcessFacts } from './metric-list.ts'
import type { OtlpOptions } from './metrics-options.ts'
import type { MetricsExporter } from './metrics-push.ts'

/**
 * Exports metrics by OTLP over HTTP. OpenTelemetry's packages read the destination, headers, timeout and
 * compression from OTEL_EXPORTER_OTLP_*, and resource attributes from OTEL_SERVICE_NAME and
 * OTEL_RESOURCE_ATTRIBUTES.
 */
export function otlpExporter({ protocol }: OtlpOptions, process: ProcessFacts): MetricsExporter {
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter()
  const resource = resourceFromAttributes({
    'service.name': 'headroom',
    'service.version': process.version,
    // Distinguishes several machines in one collector.
    'service.instance.id': hostname(),
    'host.name': hostname(),
  }).merge(detectResources({ detectors: [envDetector] }))
  const scope = { name: 'headroom', version: process.version }
  const startTime = hrTime(process.startedMs)
  return {
    send: (metrics, atMs) => {
      const sent = protocol === 'http/json' ? metrics.map(withFiniteSamples) : metrics
      const there = sent.filter(({ samples }) => samples.length > 0)
      const data = there.map((metric) => dataOf(metric, startTime, hrTime(atMs)))
      const scopeMetrics = [{ scope, metrics: data }]
      return new Promise((resolve) => {
        exporter.export({ resource, scopeMetrics }, ({ code, error }) =>
          resolve(code === 0 ? undefined : failureText(error)),
        )
      })
    },
    close: () => exporter.shutdown().catch(() => {}),
  }
}

/** Leaves out infinite values. JSON turns them into `null`, and a store would then reject the whole push. */
const withFiniteSamples = (metric: Metric): Metric => ({
  ...metric,
  samples: metric.samples.filter(({ value }) => Number.isFinite(value)),
})

function dataOf({ name, type, help, samples }: Metric, startTime: HrTime, endTime: HrTime): MetricData {
  const common = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPoints: samples.map(({ labels, value }) => ({ startTime, endTime, attributes: labels, value })),
  }
  return type === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true }
    : { ...common, dataPointType: DataPointType.GAUGE }
}

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1_000_000)]

/** Describes a failure without the packages' messages, which can quote the collector's response. */
function failureText(error: Error | undefined): string {
  const code = error !== undefined && 'code' in error ? error.code : undefined
  if (typeof code === 'number') return `it responded ${code}`
  return code === 'ECONNREFUSED' ? 'nothing listens there' : code ? systemErrorText(error) : 'no response'
}
