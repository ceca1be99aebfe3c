import { type MonitorSurface, snapshotsOf } from '../monitor/monitor-surface.ts'
import { type Metric, metricsOf, type ProcessFacts } from './metric-list.ts'

/** The metrics of a monitor. Counters start when the source is created. */
export interface MetricsSource {
  metrics(): readonly Metric[]
  close(): void
}

export function metricsSource(
  monitor: Pick<MonitorSurface, 'profiles' | 'snapshot' | 'subscribe'>,
  process: ProcessFacts,
): MetricsSource {
  const restarts = new Map<string, Map<string, number>>()
  const unsubscribe = monitor.subscribe({
    changed: () => {},
    event: (event) => {
      if (event.kind !== 'stream-restarted') return
      const { profile, category } = event
      const counts = restarts.get(profile) ?? new Map<string, number>()
      counts.set(category, (counts.get(category) ?? 0) + 1)
      restarts.set(profile, counts)
    },
    removed: (profile) => void restarts.delete(profile),
  })
  return {
    metrics: () =>
      metricsOf({
        snapshots: snapshotsOf(monitor),
        restarts: (profile) => restarts.get(profile) ?? new Map(),
        process,
      }),
    close: unsubscribe,
  }
}
