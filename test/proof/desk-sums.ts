import { type ComparedCount, lineOf } from '../desk-machines/desk-counts.ts'

/** By what counts may differ from the service's. Rows are categories. */
export interface KnownGaps {
  /**
   * Requests without a response, since the machine's start. The machine counts them, because the service may
   * have counted them.
   */
  readonly unanswered: (machine: string, row: string) => number
  /** Checks of a machine, in all rows together, that may have got no response either. */
  readonly checks: (machine: string) => number
  /** What the service counted of a killed machine in its last moment, which may show as others'. */
  readonly lastMoment: (row: string) => number
  /** Requests of a killed machine that it died with. The other machines count those that they know of. */
  readonly diedWith: (row: string) => number
}

/**
 * Counts that differ from the service's by more than they may, as text.
 *
 * A machine's own count has each request that the service counted, and may have those that got no response.
 * The other machines count exactly what that machine counts of itself. Only of a killed machine they may lack
 * its last moment.
 */
export function wrongCounts(compared: readonly ComparedCount[], gaps: KnownGaps): readonly string[] {
  const own = compared.filter(({ what }) => what === 'own')
  const surplus = (rows: readonly ComparedCount[]) =>
    rows.reduce((sum, { shown, counted }) => sum + shown - counted, 0)
  const beyond = ({ machine, of, shown, counted }: ComparedCount) =>
    Math.max(0, shown - counted - gaps.unanswered(machine, of))
  const checks = (machine: string) =>
    own.filter((one) => one.machine === machine).reduce((sum, one) => sum + beyond(one), 0)
  const isWrong = (one: ComparedCount): boolean => {
    const { machine, what, of, shown, counted } = one
    const more = shown - counted
    if (what === 'own') return more < 0 || (beyond(one) > 0 && checks(machine) > gaps.checks(machine))
    if (what === 'total') return more !== surplus(own.filter((other) => other.machine === of))
    const explained = surplus(own.filter((other) => other.machine !== machine && other.of === of))
    return more - explained < -gaps.lastMoment(of) || more - explained > gaps.diedWith(of)
  }
  return compared.filter(isWrong).map(lineOf)
}
