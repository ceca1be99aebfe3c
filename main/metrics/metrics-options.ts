import { BEARER_LENGTH } from './metrics-server.ts'

export interface MetricsOptions {
  readonly port: number
  readonly bearer: string
}

/** Whether an export of metrics was requested. `line` says which setting is invalid. */
export type Choice<Options> =
  | { readonly kind: 'off' }
  | { readonly kind: 'on'; readonly options: Options }
  | { readonly kind: 'unusable'; readonly line: string }

const VARIABLE = 'HEADROOM_METRICS_TOKEN'

/**
 * Options of the metrics server. Its required bearer token comes from the environment, because process lists
 * show flags.
 */
export function metricsChoice(
  port: number | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Choice<MetricsOptions> {
  if (port === undefined) return { kind: 'off' }
  const bearer = environment[VARIABLE] ?? ''
  const { least, most } = BEARER_LENGTH
  if (bearer.length < least || bearer.length > most || !/^[!-~]*$/.test(bearer)) {
    const line = `--metrics-port needs a bearer token in ${VARIABLE}: ${least} to ${most} ASCII characters without spaces`
    return { kind: 'unusable', line }
  }
  return { kind: 'on', options: { port, bearer } }
}

export interface OtlpOptions {
  readonly protocol: 'http/protobuf' | 'http/json'
  /** Interval between pushes in milliseconds, OTEL_METRIC_EXPORT_INTERVAL. */
  readonly intervalMs: number
  /** The host, for messages. The exporter itself reads the full address. */
  readonly host: string
}

const DEFAULT_INTERVAL_MS = 60_000
/** Minimum interval in milliseconds, so that a mistake can't flood a collector. */
const MIN_INTERVAL_MS = 1_000

/**
 * Options for pushing metrics by OTLP, from OpenTelemetry's environment variables ("OTLP Exporter" in
 * OpenTelemetry's specification). Without an endpoint, nothing is pushed.
 */
export function otlpChoice(environment: Readonly<Record<string, string | undefined>>): Choice<OtlpOptions> {
  const of = (...names: readonly string[]) => {
    const name = names.find((one) => environment[one])
    return name === undefined ? undefined : { name, value: (environment[name] ?? '').trim() }
  }
  const endpoint = of('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT')
  if (endpoint === undefined || of('OTEL_METRICS_EXPORTER')?.value === 'none') return { kind: 'off' }
  if (of('OTEL_SDK_DISABLED')?.value.toLowerCase() === 'true') return { kind: 'off' }
  const unusable = (line: string): Choice<OtlpOptions> => ({ kind: 'unusable', line })
  const url = URL.canParse(endpoint.value) ? new URL(endpoint.value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return unusable(`${endpoint.name} must begin with http:// or https://`)
  const protocol = of('OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL')
  const chosen = protocol?.value ?? 'http/protobuf'
  if (chosen !== 'http/protobuf' && chosen !== 'http/json')
    return unusable(`${protocol?.name} is ${chosen}: use http/protobuf or http/json`)
  const interval = of('OTEL_METRIC_EXPORT_INTERVAL')
  const intervalMs = interval === undefined ? DEFAULT_INTERVAL_MS : Number(interval.value)
  if (!(intervalMs > 0 && intervalMs <= 86_400_000))
    return unusable('OTEL_METRIC_EXPORT_INTERVAL must be a number of milliseconds, at most a day')
  const options = {
    protocol: chosen,
    intervalMs: Math.max(MIN_INTERVAL_MS, intervalMs),
    host: url.host,
  } as const
  return { kind: 'on', options }
}

/** The metrics exports of one process. `line` says which setting is invalid. */
export type MetricsExports =
  | { readonly kind: 'usable'; readonly metrics?: MetricsOptions; readonly otlp?: OtlpOptions }
  | { readonly kind: 'unusable'; readonly line: string }

export function metricsExports(
  port: number | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): MetricsExports {
  const metrics = metricsChoice(port, environment)
  if (metrics.kind === 'unusable') return metrics
  const otlp = otlpChoice(environment)
  if (otlp.kind === 'unusable') return otlp
  return {
    kind: 'usable',
    ...(metrics.kind === 'on' && { metrics: metrics.options }),
    ...(otlp.kind === 'on' && { otlp: otlp.options }),
  }
}
