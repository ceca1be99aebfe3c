/** How much something asks of the person. Each has a shape of its own, so that colour is never alone. */
export type Severity = 'ok' | 'watch' | 'critical' | 'unseen'

const URGENCY: Readonly<Record<Severity, number>> = { critical: 3, watch: 2, ok: 1, unseen: 0 }

/** How urgent a severity is: more is worse. */
export const urgencyOf = (severity: Severity): number => URGENCY[severity]

/** The most urgent of several; among equals the first. `undefined` of none. */
export function mostUrgent<T extends { readonly severity: Severity }>(all: readonly T[]): T | undefined {
  return all.reduce<T | undefined>(
    (most, one) => (most === undefined || URGENCY[one.severity] > URGENCY[most.severity] ? one : most),
    undefined,
  )
}
