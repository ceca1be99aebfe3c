import type { MonitorSurface } from '../monitor-surface.ts'
import type { MetricsOptions } from './metrics-options.ts'
import { startMetricsServer } from './metrics-server.ts'

export type MetricsServing =
  | { readonly kind: 'serving'; readonly url: string; close(): Promise<void> }
  | { readonly kind: 'failed'; readonly line: string }

/** For a host: a port that cannot be had is one line, not a stack. */
export async function serveMetrics(
  monitor: Pick<MonitorSurface, 'profiles' | 'snapshot'>,
  { port, bearer }: MetricsOptions,
): Promise<MetricsServing> {
  try {
    const server = await startMetricsServer({ monitor, port, bearer })
    const url = `http://127.0.0.1:${server.port}/metrics`
    return { kind: 'serving', url, close: () => server.close() }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const why = code === 'EADDRINUSE' ? 'is taken' : code === 'EACCES' ? 'is not allowed' : 'cannot be had'
    return { kind: 'failed', line: `port ${port} ${why}: choose another with --metrics-port` }
  }
}
