import type { Metric, Sample } from './metric-list.ts'

export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Metrics in Prometheus' text format, version 0.0.4. One without samples is left out. */
export function prometheusText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(({ labels, value }) => `${name}${labelText(labels)} ${numberText(value)}\n`)
      return `# HELP ${name} ${helpText(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

const helpText = (help: string): string => help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

/** Category names can come from a server's header. */
function labelText(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, text]) => {
    const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    return `${name}="${escaped}"`
  })
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  return String(value)
}
