export interface OtlpOptions {
  readonly protocol: 'http/protobuf' | 'http/json'
  /** Between two pushes, OTEL_METRIC_EXPORT_INTERVAL. */
  readonly intervalMs: number
  /** Where to, for people: the rest of the address is the exporter's to read. */
  readonly host: string
}

export type OtlpChoice =
  | { readonly kind: 'off' }
  | { readonly kind: 'on'; readonly options: OtlpOptions }
  | { readonly kind: 'unusable'; readonly line: string }

const DEFAULT_INTERVAL_MS = 60_000
/** A slip in a variable must not have every collector flooded. */
const MIN_INTERVAL_MS = 1_000

/** Off unless an endpoint is named, by the variables that OpenTelemetry's programs share (its specification, "OTLP Exporter"). */
export function otlpChoice(environment: Readonly<Record<string, string | undefined>>): OtlpChoice {
  const of = (...names: readonly string[]) => {
    const name = names.find((one) => environment[one])
    return name === undefined ? undefined : { name, value: (environment[name] ?? '').trim() }
  }
  const endpoint = of('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT')
  if (endpoint === undefined || of('OTEL_METRICS_EXPORTER')?.value === 'none') return { kind: 'off' }
  if (of('OTEL_SDK_DISABLED')?.value.toLowerCase() === 'true') return { kind: 'off' }
  const unusable = (line: string): OtlpChoice => ({ kind: 'unusable', line })
  const url = URL.canParse(endpoint.value) ? new URL(endpoint.value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return unusable(`${endpoint.name} is no address: it has to begin with http:// or https://`)
  const protocol = of('OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL')
  const chosen = protocol?.value ?? 'http/protobuf'
  if (chosen !== 'http/protobuf' && chosen !== 'http/json')
    return unusable(`${protocol?.name} asks for ${chosen}: metrics are pushed by http/protobuf or http/json`)
  const interval = of('OTEL_METRIC_EXPORT_INTERVAL')
  const intervalMs = interval === undefined ? DEFAULT_INTERVAL_MS : Number(interval.value)
  if (!(intervalMs > 0 && intervalMs <= 86_400_000))
    return unusable('OTEL_METRIC_EXPORT_INTERVAL has to be a number of milliseconds, a day at most')
  const options = {
    protocol: chosen,
    intervalMs: Math.max(MIN_INTERVAL_MS, intervalMs),
    host: url.host,
  } as const
  return { kind: 'on', options }
}
