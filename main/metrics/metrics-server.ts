import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ClaimedPort, HEALTH_PATH } from '../network/loopback-servers.ts'
import { hostsOf } from '../network/request-gate.ts'
import type { Metric, Sample } from './metric-list.ts'

export interface MetricsServerDeps {
  readonly metrics: () => readonly Metric[]
  readonly port: ClaimedPort
  /** What a scrape has to bring, HEADROOM_METRICS_TOKEN. */
  readonly bearer: string
}

export interface MetricsServer {
  readonly port: number
  close(): Promise<void>
}

/** Shorter ones are guessed. */
export const MIN_BEARER = 16

/**
 * `/metrics` for a Prometheus on this machine.
 *
 * On loopback only, for the exact Host and with a bearer: a page in a browser can reach loopback too, but it cannot
 * name another Host nor know the bearer.
 */
export function startMetricsServer(deps: MetricsServerDeps): MetricsServer {
  const expected = digest(deps.bearer)
  return deps.port.serve((port) => (request, response) => {
    send(response, answerTo(request, port, expected, deps.metrics), request.method !== 'HEAD')
  })
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

function answerTo(
  { method, url, headers }: IncomingMessage,
  port: number,
  expected: Buffer,
  metrics: MetricsServerDeps['metrics'],
): Answer {
  if (!hostsOf(port).includes(headers.host ?? '')) return { status: 421, text: 'not for this host\n' }
  if (headers.origin !== undefined) return { status: 403, text: 'not for pages\n' }
  const path = url?.split('?', 1)[0]
  if (path === HEALTH_PATH) return { status: 200, text: 'ok\n' }
  const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1]
  if (bearer === undefined || !timingSafeEqual(digest(bearer), expected))
    return { status: 401, text: 'a bearer is needed\n', headers: { 'www-authenticate': 'Bearer' } }
  if (path !== '/metrics') return { status: 404, text: 'only /metrics is here\n' }
  if (method !== 'GET' && method !== 'HEAD')
    return { status: 405, text: 'only GET\n', headers: { allow: 'GET, HEAD' } }
  return {
    status: 200,
    text: prometheusText(metrics()),
    headers: { 'content-type': PROMETHEUS_CONTENT_TYPE },
  }
}

function send(response: ServerResponse, { status, text, headers = {} }: Answer, withBody: boolean): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    // What follows of a request is not read, and a scrape comes seldom.
    connection: 'close',
    ...headers,
  })
  response.end(withBody ? text : undefined)
}

/** Of equal length, whatever was sent. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

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
