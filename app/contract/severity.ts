/**
 * How much something asks of a person: calls fail or data is stale (`critical`), act before that (`warning`), it may become
 * one (`watch`), fine (`ok`), not known (`unknown`). Each has a shape of its own, so that colour is never alone.
 */
export const SEVERITIES = ['critical', 'warning', 'watch', 'ok', 'unknown'] as const
export type Severity = (typeof SEVERITIES)[number]

/** How urgent a severity is: more is worse. */
export const urgencyOf = (severity: Severity): number => SEVERITIES.length - SEVERITIES.indexOf(severity)

/** The most urgent of several; among equals the first. `undefined` of none. */
export function mostUrgent<T extends { readonly severity: Severity }>(all: readonly T[]): T | undefined {
  return all.reduce<T | undefined>(
    (most, one) => (most === undefined || urgencyOf(one.severity) > urgencyOf(most.severity) ? one : most),
    undefined,
  )
}
