/**
 * How urgently a person must act. Each severity has its own shape, so that colour is never the only sign.
 *
 * - `critical`: calls fail or data is stale.
 * - `warning`: calls will soon fail or data will soon be stale.
 * - `watch`: a problem may follow.
 * - `ok`: there is no problem.
 * - `unknown`: there is no information.
 */
export const SEVERITIES = ['critical', 'warning', 'watch', 'ok', 'unknown'] as const
export type Severity = (typeof SEVERITIES)[number]

/** Urgency of a severity: higher is worse. */
export const urgencyOf = (severity: Severity): number => SEVERITIES.length - SEVERITIES.indexOf(severity)

/** The most urgent of several severities. `undefined` for an empty list. */
export function mostUrgent<T extends { readonly severity: Severity }>(all: readonly T[]): T | undefined {
  return all.reduce<T | undefined>(
    (most, one) => (most === undefined || urgencyOf(one.severity) > urgencyOf(most.severity) ? one : most),
    undefined,
  )
}
