/**
 * How urgently a person must act: calls fail or data is stale (`critical`), they soon will (`warning`), a
 * problem may follow (`watch`), all is well (`ok`), or nothing is known (`unknown`). Each has its own shape,
 * so that colour is never the only sign.
 */
export const SEVERITIES = ['critical', 'warning', 'watch', 'ok', 'unknown'] as const
export type Severity = (typeof SEVERITIES)[number]

/** Urgency of a severity: higher is worse. */
export const urgencyOf = (severity: Severity): number => SEVERITIES.length - SEVERITIES.indexOf(severity)

/** The most urgent of several severities; `undefined` for none. */
export function mostUrgent<T extends { readonly severity: Severity }>(all: readonly T[]): T | undefined {
  return all.reduce<T | undefined>(
    (most, one) => (most === undefined || urgencyOf(one.severity) > urgencyOf(most.severity) ? one : most),
    undefined,
  )
}
