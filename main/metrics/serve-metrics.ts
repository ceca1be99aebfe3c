import { claimPort } from '../browser/loopback-servers.ts'
import type { MonitorSurface } from '../monitor-surface.ts'
import type { MetricsOptions } from './metrics-options.ts'
import { startMetricsServer } from './metrics-server.ts'

type Measured = Pick<MonitorSurface, 'profiles' | 'snapshot'>

export interface ServedMetrics {
  readonly kind: 'serving'
  readonly url: string
  close(): Promise<void>
}
export type MetricsServing = ServedMetrics | { readonly kind: 'failed'; readonly line: string }

/** The port of the metrics, before there is a monitor to measure. */
export type MetricsClaim =
  | { readonly kind: 'claimed'; serve(monitor: Measured): ServedMetrics; close(): Promise<void> }
  | { readonly kind: 'failed'; readonly line: string }

/** For a host: a port that cannot be had is one line, not a stack. */
export async function claimMetrics({ port, bearer }: MetricsOptions): Promise<MetricsClaim> {
  try {
    const claimed = await claimPort(port)
    return {
      kind: 'claimed',
      serve: (monitor) => {
        const server = startMetricsServer({ monitor, port: claimed, bearer })
        const url = `http://127.0.0.1:${server.port}/metrics`
        return { kind: 'serving', url, close: () => server.close() }
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
export async function serveMetrics(monitor: Measured, options: MetricsOptions): Promise<MetricsServing> {
  const claim = await claimMetrics(options)
  return claim.kind === 'failed' ? claim : claim.serve(monitor)
}
