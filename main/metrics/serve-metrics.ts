import { claimPort } from '../network/loopback-servers.ts'
import type { MetricsOptions } from './metrics-options.ts'
import { startMetricsServer } from './metrics-server.ts'
import type { MetricsSource } from './metrics-source.ts'

export interface ServedMetrics {
  readonly kind: 'serving'
  readonly url: string
  close(): Promise<void>
}
export type MetricsServing = ServedMetrics | { readonly kind: 'failed'; readonly line: string }

/** The port of the metrics, before there is a monitor to measure. */
export type MetricsClaim =
  | { readonly kind: 'claimed'; serve(source: MetricsSource): ServedMetrics; close(): Promise<void> }
  | { readonly kind: 'failed'; readonly line: string }

/** For a host: a port that cannot be had is one line, not a stack. */
export async function claimMetrics({ port, bearer }: MetricsOptions): Promise<MetricsClaim> {
  try {
    const claimed = await claimPort(port)
    return {
      kind: 'claimed',
      serve: (source) => {
        const server = startMetricsServer({ metrics: source.metrics, port: claimed, bearer })
        const url = `http://127.0.0.1:${server.port}/metrics`
        return {
          kind: 'serving',
          url,
          close: async () => {
            source.close()
            await server.close()
          },
        }
      },
      close: () => claimed.close(),
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const why = code === 'EADDRINUSE' ? 'is taken' : code === 'EACCES' ? 'is not allowed' : 'cannot be had'
    return { kind: 'failed', line: `port ${port} ${why}: choose another with --metrics-port` }
  }
}

/** Where the monitor is there already. */
export async function serveMetrics(source: MetricsSource, options: MetricsOptions): Promise<MetricsServing> {
  const claim = await claimMetrics(options)
  return claim.kind === 'failed' ? claim : claim.serve(source)
}
