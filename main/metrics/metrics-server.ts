import type { IncomingMessage, ServerResponse } from 'node:http'
import { pathOf } from '../../app/service/categories.ts'
import { claimPort, HEALTH_PATH } from '../network/loopback-servers.ts'
import { isSameSecret } from '../network/random-secret.ts'
import { ownHost } from '../network/request-gate.ts'
import { systemErrorCode } from '../storage/system-error.ts'
import type { Metric, MetricSample } from './metric-list.ts'
import type { MetricsOptions } from './metrics-options.ts'
import type { MetricsSource } from './metrics-source.ts'

/**
 * Bounds of the bearer's length in characters: long enough to be hard to guess, and short enough for a
 * header.
 */
export const BEARER_LENGTH = { least: 16, most: 4_096 } as const

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

function answerTo(
  { method, url, headers, rawHeaders }: IncomingMessage,
  port: number,
  expected: string,
  metrics: MetricsSource['metrics'],
): Answer {
  if (ownHost(rawHeaders, port) === undefined) return { status: 421, text: 'wrong Host header\n' }
  if (headers.origin !== undefined) return { status: 403, text: "pages in a browser can't read this\n" }
  const path = pathOf(url ?? '')
  if (path === HEALTH_PATH) return { status: 200, text: 'ok\n' }
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer === undefined || !isSameSecret(bearer, expected))
    return { status: 401, text: 'send the bearer token\n', headers: { 'www-authenticate': 'Bearer' } }
  if (path !== '/metrics') return { status: 404, text: 'only /metrics exists\n' }
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
    // The rest of the request is not read, so the connection can't be reused. Scrapes are rare, so this costs
    // little.
    connection: 'close',
    ...headers,
  })
  response.end(withBody ? text : undefined)
}

const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Metrics in Prometheus' text format, version 0.0.4. Metrics without samples are left out. */
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

/** Labels as text. Values are escaped, because a category's name can come from a server's header. */
function labelText(labels: MetricSample['labels']): string {
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

interface ServedMetrics {
  readonly kind: 'serving'
  readonly url: string
  close(): Promise<void>
}
export type MetricsServing = ServedMetrics | { readonly kind: 'failed'; readonly line: string }

/** A port claimed for the metrics server before the monitor exists. */
export type MetricsClaim =
  | { readonly kind: 'claimed'; serve(source: MetricsSource): ServedMetrics; close(): Promise<void> }
  | { readonly kind: 'failed'; readonly line: string }

/**
 * Claims the port, to serve `/metrics` to a Prometheus on this machine. After a failure, the result's line
 * says how to choose another port.
 *
 * The server is on loopback, and requires the exact Host and a bearer. A web page can reach loopback too, but
 * it can't set Host and does not know the bearer.
 */
export async function claimMetrics({ port, bearer }: MetricsOptions): Promise<MetricsClaim> {
  try {
    const claimed = await claimPort(port)
    return {
      kind: 'claimed',
      serve: (source) => {
        claimed.serve((own) => (request, response) => {
          send(response, answerTo(request, own, bearer, source.metrics), request.method !== 'HEAD')
        })
        return {
          kind: 'serving',
          url: `http://127.0.0.1:${claimed.port}/metrics`,
          close: async () => {
            source.close()
            await claimed.close()
          },
        }
      },
      close: () => claimed.close(),
    }
  } catch (error) {
    const code = systemErrorCode(error)
    const why = code === 'EADDRINUSE' ? 'is taken' : code === 'EACCES' ? 'is not allowed' : 'cannot be used'
    return { kind: 'failed', line: `port ${port} ${why}: choose another with --metrics-port` }
  }
}

/** Claims the port and serves immediately, for hosts whose monitor already exists. */
export async function serveMetrics(source: MetricsSource, options: MetricsOptions): Promise<MetricsServing> {
  const claim = await claimMetrics(options)
  return claim.kind === 'failed' ? claim : claim.serve(source)
}
